import type { Values } from '@culprit/core';
import * as v from 'valibot';

/** The longest life of a session. */
export const SESSION_TTL_MS = 12 * 60 * 60 * 1000;

/** Sessions of one person, and of everybody. Beyond them the oldest ends. */
const MOST_OF_PERSON = 20;
const MOST = 2_000;
const LIST = 'sessions';

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
const listSchema = v.array(entrySchema);

/** The open sessions, newest last. One key, because values cannot be listed. */
export async function listedSessions(values: Values, now: number): Promise<readonly ListedSession[]> {
  return open(await values.get(LIST), now);
}

/** Adds a session. Resolves with the storage keys of the oldest ones beyond the limits, which are no longer listed. */
export async function listSession(
  values: Values,
  entry: ListedSession,
  now: number,
): Promise<readonly string[]> {
  let left: readonly ListedSession[] = [];
  const add = (before: string | undefined) => {
    const all = [...open(before, now), entry];
    const own = all.filter(({ person }) => person === entry.person).slice(0, -MOST_OF_PERSON);
    const others = all.filter((one) => !own.includes(one));
    left = [...own, ...others.slice(0, -MOST)];
    return JSON.stringify(others.slice(-MOST));
  };
  await values.change(LIST, add, SESSION_TTL_MS);
  return left.map(({ key }) => key);
}

/** Removes a session from the list. */
export async function unlistSession(values: Values, key: string, now: number): Promise<void> {
  const remove = (before: string | undefined) => {
    const all = open(before, now);
    const rest = all.filter((one) => one.key !== key);
    return rest.length === all.length ? undefined : JSON.stringify(rest);
  };
  await values.change(LIST, remove, SESSION_TTL_MS);
}

function open(text: string | undefined, now: number): readonly ListedSession[] {
  const stored = text === undefined ? null : v.safeParse(listSchema, JSON.parse(text));
  return stored?.success ? stored.output.filter(({ expires_at }) => expires_at > now) : [];
}
