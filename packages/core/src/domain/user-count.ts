import * as v from 'valibot';
import type { OccurrenceRow } from './occurrence-row.js';
import type { Doc } from './schema.js';

export const affectedUsersSchema = v.object({ count: v.number(), more: v.boolean() });
/**
 * The distinct users of a run's crashes: of the trusted ones if there are any. Redacted users are not counted. `count` is at most
 * {@link MAX_USERS}; `more`: there are more than that.
 */
export interface AffectedUsers extends Doc<typeof affectedUsersSchema> {}

/** Users of one run that are distinguished. */
export const MAX_USERS = 1_000;

/** The users of stored statistics: digests of {@link DIGEST_CHARS} characters, joined. */
export interface StoredUsers {
  readonly users: string;
  readonly more_users: boolean;
  /** A trusted occurrence has been counted: from then on only trusted ones count. */
  readonly trusted: boolean;
}

/** The users after each occurrence, without the digests that the statistics have. */
export interface UserCount {
  readonly users: AffectedUsers;
  readonly trusted: boolean;
  /** Digests of users that the statistics do not have, joined. */
  readonly fresh: string;
}

/** The users that statistics have counted. */
export function usersOfStatistics({ users, more_users, trusted }: StoredUsers): UserCount {
  return { users: { count: users.length / DIGEST_CHARS, more: more_users }, trusted, fresh: '' };
}

/** Whether counting these rows needs the digests of the statistics. */
export function hasOtherUsers({ users, trusted, fresh }: UserCount, rows: readonly OccurrenceRow[]): boolean {
  if (users.more) return false;
  return rows.some(([, , , , , trust, user]) => {
    if (user === null || (trusted && trust === 'untrusted')) return false;
    return !hasDigest(fresh, userDigest(user));
  });
}

/** Counts the users of further rows, as the statistics will with the next chunk. Pure. */
export function countUsers(
  before: UserCount,
  rows: readonly OccurrenceRow[],
  stored: StoredUsers,
): UserCount {
  let { trusted, fresh } = before;
  let { count, more } = before.users;
  for (const [, , , , , trust, user] of rows) {
    if (trust === 'trusted' && !trusted) [trusted, fresh, count, more] = [true, '', 0, false];
    if (user === null || more || (trust === 'untrusted' && trusted)) continue;
    const digest = userDigest(user);
    const known = hasDigest(fresh, digest) || (stored.trusted === trusted && hasDigest(stored.users, digest));
    if (known) continue;
    if (count === MAX_USERS) more = true;
    else {
      count += 1;
      fresh += digest;
    }
  }
  return { users: { count, more }, trusted, fresh };
}

export const DIGEST_CHARS = 7;

function hasDigest(joined: string, digest: string): boolean {
  for (let at = joined.indexOf(digest); at !== -1; at = joined.indexOf(digest, at + 1))
    if (at % DIGEST_CHARS === 0) return true;
  return false;
}

/** A short digest that distinguishes users; not a secret. */
export function userDigest(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  const number = 65_536 * (b >>> 0) + ((a >>> 0) & 0xffff);
  return (number % 36 ** DIGEST_CHARS).toString(36).padStart(DIGEST_CHARS, '0');
}
