import { randomBytes } from 'node:crypto';
import type { Group, Groups } from '../run-store/groups.js';
import type { Operation } from '../run-store/key-value.js';
import { keys as names } from '../run-store/keys.js';
import { addedText } from '../run-store/quota-text.js';
import type { Redis } from './connection.js';
import { FEED_APPEND, orderedPlace, PREFIX, STAMP_CHARS } from './layout.js';
import { COMMIT, RESERVE } from './scripts.js';
import type { SharedFeed } from './shared-feed.js';
import type { SharedReads } from './shared-reads.js';

export interface SharedGroupsOptions {
  readonly redis: Redis;
  readonly reads: SharedReads;
  readonly feed: SharedFeed;
  readonly feedEntries: number;
  /** How long event ids are remembered, in ms. */
  readonly eventIdMs: number;
}

/** Optimistic groups of writes on Redis: one script first checks that nothing that was read has changed. */
export function sharedGroups(options: SharedGroupsOptions): Groups {
  const { redis, reads, feed, feedEntries, eventIdMs } = options;
  const nextStamp = stamps();
  return {
    number: ownNumbers(redis),
    begin: (): Group => {
      const seen = new Map<string, { readonly stamp: string; readonly value: string | undefined }>();
      return {
        getMany: async (keys) => {
          const missing = keys.filter((key) => !seen.has(key));
          const found = missing.length > 0 ? await reads.stamped(missing) : [];
          for (const [at, key] of missing.entries())
            seen.set(key, found[at] ?? { stamp: '', value: undefined });
          return keys.map((key) => seen.get(key)?.value);
        },
        entries: reads.entries,
        commit: async (operations) => {
          // Members of sorted sets change only together with a string that was read: watermark or head.
          const checks = [...seen].filter(([key]) => orderedPlace(key) === null && !isCount(key));
          const args = [PREFIX, nextStamp(), String(feedEntries), String(checks.length)];
          for (const [key, { stamp }] of checks) args.push(key, stamp);
          for (const operation of operations) {
            const before = seen.get(operation.key)?.value;
            args.push(...encodeOperation(operation, before, eventIdMs));
          }
          const [done, first, last] = (await redis.script(COMMIT, args)) as [number, number, number];
          if (done === 0) return false;
          const appended = operations.flatMap((one) =>
            one.type === 'put' && one.key.startsWith(FEED_APPEND) ? [one.value] : [],
          );
          if (last > 0) await feed.committed(first, appended);
          return true;
        },
      };
    },
    recover: () => redis.use(async (client) => void (await client.ping())),
  };
}

/** Counts are added to, so that processes do not collide at them. */
const isCount = (key: string) => key.startsWith('q/');

function encodeOperation(
  operation: Operation,
  before: string | undefined,
  eventIdMs: number,
): readonly string[] {
  const { key } = operation;
  if (operation.type === 'put' && isCount(key)) return ['Q', key, addedText(before, operation.value)];
  if (operation.type === 'put' && key.startsWith(FEED_APPEND)) return ['F', '', operation.value];
  const place = orderedPlace(key);
  if (place !== null) {
    if (operation.type === 'del') return ['R', place.set, `${place.member} `];
    return ['Z', place.set, `${place.member} ${operation.value}`];
  }
  if (operation.type === 'del') return ['D', key, ''];
  return key.startsWith('k/') ? ['K', key, `${eventIdMs} ${operation.value}`] : ['S', key, operation.value];
}

/** Run numbers that are reserved with one command. Those that a process does not use stay unused. */
const RESERVED = 32;

function ownNumbers(redis: Redis): () => Promise<number> {
  const free: number[] = [];
  return async () => {
    if (free.length === 0) {
      const first = Number(await redis.script(RESERVE, [PREFIX + names.numbers, String(RESERVED)]));
      free.push(...Array.from({ length: RESERVED }, (_, at) => first + at));
    }
    return free.shift() ?? 0;
  };
}

/** Unique over all writes of all processes. */
function stamps(): () => string {
  const own = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${own}${(count++).toString(36).padStart(STAMP_CHARS - own.length, '0')}`;
}
