import { batchesOf } from '@culprit/core/internal/resilience/batches';
import type { KeyValue } from '../run-store/key-value.js';
import type { Redis } from './connection.js';
import { lexRange, orderedPlace, PREFIX, STAMP_CHARS, textOf } from './layout.js';

export interface Stamped {
  /** Empty if the key does not exist. */
  readonly stamp: string;
  readonly value: string | undefined;
}

export interface SharedReads extends Pick<KeyValue, 'getMany' | 'entries'> {
  stamped(keys: readonly string[]): Promise<Stamped[]>;
}

const ABSENT: Stamped = { stamp: '', value: undefined };
/** Keys of one `MGET`, which blocks Redis for all other clients. */
const AT_ONCE = 1_000;

/** Reads of one process. Strings requested together are read at the same moment. */
export function sharedReads(redis: Redis): SharedReads {
  const strings = async (keys: readonly string[]): Promise<Stamped[]> => {
    const found: Stamped[] = [];
    for (const batch of batchesOf(keys, AT_ONCE)) {
      const part = batch.map((key) => PREFIX + key);
      const values = await redis.use((client) => client.mGet(part));
      for (const text of values) found.push(text === null ? ABSENT : split(text));
    }
    return found;
  };
  const member = async (set: string, name: string): Promise<Stamped> => {
    const [found] = await redis.use((client) =>
      client.zRangeByLex(PREFIX + set, `[${name} `, `(${name}!`, { LIMIT: { offset: 0, count: 1 } }),
    );
    return found === undefined ? ABSENT : { stamp: '', value: textOf(found) };
  };
  const stamped = async (keys: readonly string[]): Promise<Stamped[]> => {
    const places = keys.map(orderedPlace);
    const [plain, ordered] = await Promise.all([
      strings(keys.filter((_, at) => places[at] === null)),
      Promise.all(places.map((place) => place && member(place.set, place.member))),
    ]);
    let next = 0;
    return ordered.map((one) => one ?? plain[next++] ?? ABSENT);
  };
  return {
    stamped,
    getMany: async (keys) => (await stamped(keys)).map(({ value }) => value),
    entries: async ({ gt, lt, limit }) => {
      const from = orderedPlace(gt);
      const to = orderedPlace(lt);
      if (from === null || to === null || from.set !== to.set)
        throw new Error(`no order between ${gt} and ${lt}`);
      const [min, max] = lexRange(from.member, to.member);
      const start = gt.slice(0, gt.length - from.member.length);
      const members = await redis.use((client) =>
        client.zRangeByLex(PREFIX + from.set, min, max, { LIMIT: { offset: 0, count: limit } }),
      );
      return members.map((text) => [start + text.slice(0, text.indexOf(' ')), textOf(text)]);
    },
  };
}

function split(text: string): Stamped {
  return { stamp: text.slice(0, STAMP_CHARS), value: text.slice(STAMP_CHARS) };
}
