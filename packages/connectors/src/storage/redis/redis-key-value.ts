import { randomBytes } from 'node:crypto';
import type { Logger } from '@culprit/core/connector';
import { batchesOf } from '@culprit/core/internal/resilience/batches';
import { keys as names } from '@culprit/core/internal/store/keys';
import type { KeyValue, Operation, Sharing } from '@culprit/core/store';
import { connectRedis, evaluate, type Redis } from './connection.js';
import { COMMIT, JOIN, RESERVE, SET_IF_ABSENT } from './scripts.js';
import { checkServer } from './server-facts.js';

/**
 * How keys are stored in Redis. Most are strings that start with the stamp of the write that created them, which is their version, so
 * that a script detects changes by comparing a few bytes. Values are strings without a stamp: their text is their version. Keys whose
 * order matters are members of sorted sets, `<rest of key> <value>`, all with score 0, so that Redis orders them by their bytes.
 */
export const PREFIX = 'culprit:';
const CHANNEL = 'culprit:feed';
const STAMP_CHARS = 16;

export interface RedisKeyValue extends KeyValue {
  readonly sharing: Sharing;
  readonly redis: Redis;
  /** For operators: how durable this Redis is, and what it does when it is full. */
  readonly detail: string;
}

export interface RedisOptions {
  readonly url: string;
  readonly logger: Logger;
  /** How long event ids are remembered, in ms. */
  readonly eventIdMs: number;
}

/** A {@link KeyValue} that any number of processes share. Rejects if Redis is unreachable or would lose state. */
export async function redisKeyValue({ url, logger, eventIdMs }: RedisOptions): Promise<RedisKeyValue> {
  const redis = await connectRedis(url, logger);
  const facts = await checkServer(redis.client, logger).catch((error) => {
    redis.close();
    throw error;
  });
  const nextStamp = stamps();
  return {
    redis,
    detail: facts.detail,
    expires: true,
    sharing: sharingOf(redis),
    getMany: async (keys, versions) => {
      const places = keys.map(orderedPlace);
      const [texts, members] = await Promise.all([
        readStrings(
          redis,
          keys.filter((_, at) => places[at] === null),
        ),
        Promise.all(places.map((place) => place && readMember(redis, place))),
      ]);
      let next = 0;
      return keys.map((key, at) => {
        // Members of sorted sets change only together with a string that was read: watermark or head.
        if (places[at] !== null) return members[at] ?? undefined;
        const text = texts[next++] ?? null;
        const stamped = !isValue(key);
        if (versions !== undefined && !versions.has(key))
          versions.set(key, stamped ? (text?.slice(0, STAMP_CHARS) ?? '') : (text ?? ''));
        return (stamped ? text?.slice(STAMP_CHARS) : text) ?? undefined;
      });
    },
    entries: async ({ gt, lt, limit }) => {
      const from = orderedPlace(gt);
      const to = orderedPlace(lt);
      if (from === null || to === null || from.set !== to.set)
        throw new Error(`no order between ${gt} and ${lt}`);
      // Includes every member of every key strictly between. Keys have no character below `!`.
      const min = from.member === '' ? '-' : `(${from.member}!`;
      const members = await redis.use((client) =>
        client.zRangeByLex(PREFIX + from.set, min, `(${to.member}`, { LIMIT: { offset: 0, count: limit } }),
      );
      const start = gt.slice(0, gt.length - from.member.length);
      return members.map((member) => entryOf(start, member));
    },
    commit: async ({ operations, expected, feed }) => {
      const args = [PREFIX, nextStamp(), String(feed.keep), String(expected.size)];
      for (const [key, version] of expected) args.push(key, version);
      for (const operation of operations) args.push(...encodeOperation(operation, eventIdMs));
      for (const entry of feed.entries) args.push('F', '', entry);
      const [done, first] = (await redis.script(COMMIT, args)) as [number, number];
      return done === 0 ? null : { feedFirst: first };
    },
    recover: () => redis.use(async (client) => void (await client.ping())),
    close: async () => redis.close(),
  };
}

/** Keys of one `MGET`, which blocks Redis for all other clients. */
const AT_ONCE = 1_000;

/** Strings requested together are read at the same moment. */
async function readStrings(redis: Redis, keys: readonly string[]): Promise<(string | null)[]> {
  const found: (string | null)[] = [];
  for (const batch of batchesOf(keys, AT_ONCE))
    found.push(...(await redis.use((client) => client.mGet(batch.map((key) => PREFIX + key)))));
  return found;
}

async function readMember(redis: Redis, { set, member }: OrderedPlace): Promise<string | undefined> {
  const [found] = await redis.use((client) =>
    client.zRangeByLex(PREFIX + set, `[${member} `, `(${member}!`, { LIMIT: { offset: 0, count: 1 } }),
  );
  return found?.slice(member.length + 1);
}

interface OrderedPlace {
  readonly set: string;
  readonly member: string;
}

/** `null` for keys that are strings. */
function orderedPlace(key: string): OrderedPlace | null {
  const family = key.slice(0, 2);
  if (family === 'f/') return { set: 'f', member: key.slice(2) };
  if (!isOrdered(family)) return null;
  const end = key.indexOf('/', 2);
  return { set: key.slice(0, end), member: key.slice(end + 1) };
}

/** Families with a sorted set for each key below them. */
function isOrdered(family: string): boolean {
  return family === 'a/' || family === 'l/' || family === 'x/';
}

function isValue(key: string): boolean {
  return key.startsWith('v/');
}

function entryOf(start: string, member: string): [key: string, value: string] {
  const end = member.indexOf(' ');
  return [start + member.slice(0, end), member.slice(end + 1)];
}

function encodeOperation(operation: Operation, eventIdMs: number): readonly string[] {
  const { key } = operation;
  if (operation.type === 'count') return ['Q', key, operation.value];
  const place = orderedPlace(key);
  if (operation.type === 'del') return place === null ? ['D', key, ''] : ['R', place.set, `${place.member} `];
  const { value, expiresAt } = operation;
  if (place !== null) return ['Z', place.set, `${place.member} ${value}`];
  if (isValue(key)) return ['V', key, `${msLeft(expiresAt)} ${value}`];
  return key.startsWith('k/') ? ['K', key, `${eventIdMs} ${value}`] : ['S', key, value];
}

/** Not the time itself: the clock of Redis may be another. */
function msLeft(expiresAt: number | undefined): string {
  return expiresAt === undefined ? '' : String(Math.max(1, Math.ceil(expiresAt - Date.now())));
}

/** Run numbers that are reserved with one command. Those that a process does not use stay unused. */
const RESERVED = 32;
/** How many keys Redis looks at for each step of a scan, and members of a sorted set that are read at once. */
const SCANNED = 1_000;
const MEMBERS = 100_000;

function sharingOf(redis: Redis): Sharing {
  const numbers: number[] = [];
  const scan = async function* (prefix: string) {
    const pattern = { MATCH: `${PREFIX}${prefix}*`, COUNT: SCANNED };
    for await (const found of redis.client.scanIterator(pattern))
      yield found.map((name) => name.slice(PREFIX.length));
  };
  return {
    async number() {
      if (numbers.length === 0) {
        const first = Number(await redis.script(RESERVE, [PREFIX + names.numbers, String(RESERVED)]));
        numbers.push(...Array.from({ length: RESERVED }, (_, at) => first + at));
      }
      return numbers.shift() ?? 0;
    },
    async watch({ joined, changed }) {
      await redis.onConnect(async () => {
        const { client } = redis;
        const server = /^run_id:(\w+)/m.exec(await client.info('server'))?.[1] ?? 'unknown';
        const fresh = randomBytes(12).toString('base64url');
        const [epoch, sequence] = (await evaluate(client, JOIN, [PREFIX, server, fresh])) as [string, string];
        joined({ epoch, sequence: Number(sequence) });
      });
      await redis.subscribe(CHANNEL, changed);
    },
    putIfAbsent: async (key, value) => String(await redis.script(SET_IF_ABSENT, [PREFIX + key, value])),
    keys: scan,
    async *walk(prefix) {
      for await (const found of scan(prefix)) {
        if (isOrdered(prefix.slice(0, 2))) {
          for (const set of found) {
            const members = await redis.use((client) =>
              client.zRangeByLex(PREFIX + set, '-', '+', { LIMIT: { offset: 0, count: MEMBERS } }),
            );
            yield members.map((member) => entryOf(`${set}/`, member));
          }
          continue;
        }
        const texts = await readStrings(redis, found);
        yield found.flatMap((key, at) => {
          const text = texts[at] ?? null;
          return text === null ? [] : [[key, isValue(key) ? text : text.slice(STAMP_CHARS)] as const];
        });
      }
    },
  };
}

/** Unique over all writes of all processes. */
function stamps(): () => string {
  const own = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${own}${(count++).toString(36).padStart(STAMP_CHARS - own.length, '0')}`;
}
