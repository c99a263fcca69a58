import type { Event } from '../../domain/event.js';
import type { Fingerprint } from '../../domain/fingerprint.js';
import type { Family } from '../../domain/group.js';
import { keyedFrames } from './keyed-frames.js';
import { version1 } from './version-1.js';
import { version2 } from './version-2.js';

/** How an event is counted: its fingerprint, and what tells it apart from others at the same places. */
export interface Fingerprints {
  readonly fingerprint: Fingerprint;
  /** Hashes of earlier versions, by which runs that began with them are found. */
  readonly aliases: readonly string[];
  readonly family: Family | undefined;
}

/** The event's fingerprint, and its hashes from earlier versions as long as runs that began with them may be open. */
export function fingerprintsOf(event: Event): Fingerprints {
  const keyed = keyedFrames(event);
  return { ...version2(event, keyed), aliases: [version1(event, keyed).hash] };
}

/** Why the event is an incident of its own, in the newest version. */
export function fingerprintEvent(event: Event): Fingerprint {
  return version2(event, keyedFrames(event)).fingerprint;
}
