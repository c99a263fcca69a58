/**
 * How the keys of `run-store/keys.ts` are stored in Redis. Most are strings that start with the stamp of the write that
 * created them, so that a script detects changes by comparing a few bytes. Keys whose order matters are members of sorted
 * sets, `<rest of key> <value>`, all with score 0, so that Redis orders them by their bytes.
 */
export const PREFIX = 'culprit:';
export const CHANNEL = 'culprit:feed';
export const STAMP_CHARS = 16;
/** The store assigns the next sequence number of the feed to keys with this prefix. */
export const FEED_APPEND = 'f/+';

export interface OrderedPlace {
  readonly set: string;
  readonly member: string;
}

/** `null` for keys that are strings. */
export function orderedPlace(key: string): OrderedPlace | null {
  const family = key.slice(0, 2);
  if (family === 'f/') return { set: 'f', member: key.slice(2) };
  if (family !== 'a/' && family !== 'l/' && family !== 'x/') return null;
  const end = key.indexOf('/', 2);
  return { set: key.slice(0, end), member: key.slice(end + 1) };
}

/** Bounds for `ZRANGEBYLEX` that include every member of every key strictly between. Keys have no character below `!`. */
export function lexRange(gt: string, lt: string): readonly [min: string, max: string] {
  return [gt === '' ? '-' : `(${gt}!`, `(${lt}`];
}

export function textOf(member: string): string {
  return member.slice(member.indexOf(' ') + 1);
}
