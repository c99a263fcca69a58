import type { Event } from '../../src/domain/event.js';
import { joinFamily } from '../../src/domain/group.js';
import type { JsonValue } from '../../src/domain/json.js';
import { fingerprintsOf } from '../../src/pipeline/fingerprint/index.js';
import { normalise } from '../../src/pipeline/normalise/index.js';
import { deliveryOf } from './deliveries.js';

export const eventOf = (crash: JsonValue) => normalise(deliveryOf(crash));

/** Whether the second event is counted on the first one's run. */
function follow(one: Event, other: Event): boolean {
  const [first, next] = [
    { event: one, ...fingerprintsOf(one) },
    { event: other, ...fingerprintsOf(other) },
  ];
  if (first.family?.name !== next.family?.name) return false;
  const { groups } = joinFamily([], first);
  return joinFamily(groups, next).crash.fingerprint.hash === first.fingerprint.hash;
}

/** Whether two events are one incident; an error if it depends on which is first. */
export function areOne(one: Event, other: Event): boolean {
  const [there, back] = [follow(one, other), follow(other, one)];
  if (there === back) return there;
  const parts = [one, other].map((event) => fingerprintsOf(event).fingerprint.parts);
  throw new Error(`the order decides: ${JSON.stringify(parts)}`);
}

/** {@link areOne} for crashes as they are sent. */
export const alike = (one: JsonValue, other: JsonValue) => areOne(eventOf(one), eventOf(other));
