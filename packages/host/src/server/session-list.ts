import type { Values } from '@culprit/core/internal/ports/values';
import { type StoredList, storedList } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';

/** The longest life of a session. */
export const SESSION_TTL_MS = 12 * 60 * 60 * 1000;

/** Sessions of one person, and of everybody. Beyond them the oldest ends. */
const MOST_OF_PERSON = 20;
const MOST = 2_000;

/** Stored instead of names, so that erasing a person leaves none here. */
const entrySchema = v.object({
  /** Storage key of the session. */
  key: v.string(),
  /** Hash of who signed in. */
  person: v.string(),
  /** Hash of the provider's session; `null` without one. */
  sid: v.nullable(v.string()),
  /** Milliseconds since 1970, both. */
  opened_at: v.number(),
  expires_at: v.number(),
});
export type ListedSession = v.InferOutput<typeof entrySchema>;

/** The open sessions, newest last. `now`: milliseconds since 1970. */
export function sessionList(values: Values, now: number): StoredList<ListedSession> {
  const current = ({ expires_at }: ListedSession) => expires_at > now;
  return storedList(values, 'sessions', {
    ...{ schema: entrySchema, newest: 'last', most: MOST, ttlMs: SESSION_TTL_MS, current },
  });
}

/** Adds a session. Resolves with the storage keys of the oldest ones beyond the limits, which are no longer listed. */
export async function listSession(
  values: Values,
  entry: ListedSession,
  now: number,
): Promise<readonly string[]> {
  let left: readonly ListedSession[] = [];
  await sessionList(values, now).change((before) => {
    const all = [...before, entry];
    const own = all.filter(({ person }) => person === entry.person).slice(0, -MOST_OF_PERSON);
    const others = all.filter((one) => !own.includes(one));
    left = [...own, ...others.slice(0, -MOST)];
    return others;
  });
  return left.map(({ key }) => key);
}
