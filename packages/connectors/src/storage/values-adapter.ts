import { EventEmitter } from 'node:events';
import type { KeyvStoreAdapter } from 'keyv';
import type { KeyValue } from './run-store/key-value.js';
import { after } from './run-store/keys.js';
import type { Transaction, Writer } from './run-store/writer.js';

const PREFIX = 'v/';
/** Expired values that each `set` with an expiry removes. */
const SWEPT = 20;

/**
 * A Keyv adapter on the run store's own database. Values are stored under `v/` as `<expiry or 0> <value>`. Values that
 * expire are also indexed by time, so that those that are never read again are removed. One adapter serves one Keyv.
 */
export function valuesAdapter(
  store: KeyValue,
  writer: Writer,
  now: () => number = Date.now,
): KeyvStoreAdapter {
  const adapter = {
    opts: {},
    get: async <Value>(key: string) => {
      const [stored] = await store.getMany([PREFIX + key]);
      return stored?.slice(stored.indexOf(' ') + 1) as Value | undefined;
    },
    set: (key: string, value: string, ttl?: number) =>
      writer.write(async (tx) => {
        const expiry = ttl === undefined ? 0 : now() + ttl;
        await unindex(tx, key);
        tx.put(PREFIX + key, `${expiry} ${value}`);
        if (expiry === 0) return true;
        tx.put(expiryKey(expiry, key), '');
        await sweep(tx, now());
        return true;
      }),
    delete: (key: string) =>
      writer.write(async (tx) => {
        const there = await unindex(tx, key);
        if (there) tx.del(PREFIX + key);
        return there;
      }),
    clear: async () => {
      for (const start of [PREFIX, 't/']) {
        for (;;) {
          const entries = await store.entries({ gt: start, lt: afterAny(start), limit: 1_000 });
          if (entries.length === 0) break;
          await writer.write(async (tx) => {
            for (const [key] of entries) tx.del(key);
          });
        }
      }
    },
  };
  return Object.assign(new EventEmitter(), adapter);
}

/** Removes the key's index entry. True if the key exists. */
async function unindex(tx: Transaction, key: string): Promise<boolean> {
  const [stored] = await tx.getMany([PREFIX + key]);
  if (stored === undefined) return false;
  const expiry = expiryOf(stored);
  if (expiry > 0) tx.del(expiryKey(expiry, key));
  return true;
}

async function sweep(tx: Transaction, now: number): Promise<void> {
  const expired = await tx.entries({ gt: 't/', lt: after(`t/${pad(now)}`), limit: SWEPT });
  const names = expired.map(([key]) => key.slice(expiryKey(0, '').length));
  const stored = names.length > 0 ? await tx.getMany(names.map((name) => PREFIX + name)) : [];
  for (const [at, [indexKey]] of expired.entries()) {
    const value = stored[at];
    const name = names[at] ?? '';
    tx.del(indexKey);
    // Written again since: the index entry is stale, the value is not.
    if (value !== undefined && expiryKey(expiryOf(value), name) === indexKey) tx.del(PREFIX + name);
  }
}

function expiryKey(expiry: number, key: string): string {
  return `t/${pad(expiry)}/${key}`;
}
function pad(ms: number): string {
  return String(Math.max(0, Math.trunc(ms))).padStart(16, '0');
}
function expiryOf(stored: string): number {
  return Number(stored.slice(0, stored.indexOf(' ')));
}
/** `0` follows `/` in ASCII, so this sorts after every key below `start`. */
function afterAny(start: string): string {
  return `${start.slice(0, -1)}0`;
}
