import { setTimeout as sleep } from 'node:timers/promises';
import { CulpritError } from '@culprit/core/connector';
import type { Values } from '@culprit/core/internal/ports/values';
import { Keyv } from 'keyv';
import { keyvValues } from '../../shared/keyv-values.js';
import type { Redis } from './connection.js';
import { PREFIX } from './layout.js';
import { loadRedis } from './load-redis.js';
import { SET_IF_SAME } from './scripts.js';

/** Attempts in a row when other processes keep changing the value, and the longest pause between two. */
const TRIES = 200;
const PAUSE_MS = 20;

/** Values by Keyv. A change compares the stored text with what was read, in one script. */
export async function sharedValues(redis: Redis): Promise<Values> {
  const { default: KeyvRedis } = await loadRedis();
  const store = new KeyvRedis<string>(redis.client, { throwOnConnectError: true, throwOnErrors: true });
  const values = keyvValues(store, `${PREFIX}v/`);
  /** Keyv's stored form, which a change reads and writes itself. */
  const form = new Keyv<string>();
  const change: Values['change'] = async (key, decide, ttlMs) => {
    const place = `${PREFIX}v/${key}`;
    for (let tries = 0; tries < TRIES; tries++) {
      const kept = await redis.use((client) => client.get(place));
      const stored = kept === null ? undefined : await form.deserializeData<string>(kept);
      const before = (stored?.expires ?? Number.POSITIVE_INFINITY) <= Date.now() ? undefined : stored?.value;
      const wanted = decide(before);
      if (wanted === undefined) return before;
      if (ttlMs !== undefined && ttlMs <= 0) {
        await values.delete(key);
        return undefined;
      }
      const ttl = ttlMs === undefined ? '' : String(Math.ceil(ttlMs));
      const expires = ttlMs === undefined ? undefined : Date.now() + ttlMs;
      const text = String(await form.serializeData({ value: wanted, expires }));
      if ((await redis.script(SET_IF_SAME, [place, kept ?? '', text, ttl])) === 1) return wanted;
      await sleep(Math.random() * PAUSE_MS);
    }
    throw new CulpritError(
      'storage_unavailable',
      'Other processes keep changing the same value. Retry later.',
    );
  };
  return {
    get: (key) => redis.use(() => values.get(key)),
    set: (key, value, ttlMs) => redis.use(() => values.set(key, value, ttlMs)),
    delete: (key) => redis.use(() => values.delete(key)),
    change,
  };
}
