import type { Redis } from '../redis/connection.js';
import { PREFIX } from '../redis/layout.js';
import type { SharedReads } from '../redis/shared-reads.js';
import type { Dump } from './dump.js';
import { EXPORTED_FAMILIES } from './record-check.js';

/** How many keys Redis looks at for each step of a scan. */
const SCANNED = 1_000;

/** In a file of its own: the declarations of `dump.ts` are public, and must not need those of the Redis library. */
export function redisDump(redis: Redis, reads: SharedReads): Dump {
  const scan = (pattern: string) =>
    redis.client.scanIterator({ MATCH: `${PREFIX}${pattern}`, COUNT: SCANNED });
  return {
    runIds: async function* () {
      for await (const found of scan('h/*')) {
        for (const name of found) yield name.slice(`${PREFIX}h/`.length);
      }
    },
    count: async () => {
      let heads = 0;
      for await (const found of scan('h/*')) heads += found.length;
      return heads;
    },
    valueKeys: async function* (families) {
      for await (const found of scan('v/*')) {
        for (const name of found) {
          const key = name.slice(`${PREFIX}v/`.length);
          if (!families.some((family) => key.startsWith(`${family}:`))) continue;
          const ttl = await redis.use((client) => client.pTTL(name));
          if (ttl !== -2) yield { key, expires: ttl > 0 ? Date.now() + ttl : 0 };
        }
      }
    },
    all: async function* () {
      for (const family of EXPORTED_FAMILIES) {
        const ordered = family === 'x/' || family === 'l/';
        for await (const found of scan(`${family}*`)) {
          const names = found.map((name) => name.slice(PREFIX.length));
          if (ordered) {
            for (const set of names) {
              for (const [key, text] of await reads.entries({
                gt: `${set}/`,
                lt: `${set}/\u007f`,
                limit: 100_000,
              })) {
                yield { key, text };
              }
            }
            continue;
          }
          const texts = names.length > 0 ? await reads.getMany(names) : [];
          for (const [at, key] of names.entries()) {
            const text = texts[at];
            if (text !== undefined) yield { key, text };
          }
        }
      }
      for await (const found of scan('v/*')) {
        for (const name of found) {
          const [text, ttl] = await redis.use((client) => Promise.all([client.get(name), client.pTTL(name)]));
          if (text === null) continue;
          yield { value: name.slice(`${PREFIX}v/`.length), text, expires: ttl > 0 ? Date.now() + ttl : 0 };
        }
      }
    },
  };
}
