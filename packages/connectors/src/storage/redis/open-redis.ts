import type { CacheStore } from '@culprit/core/internal/ports/cache';
import type { Driver } from '@culprit/core/store';
import { Keyv } from 'keyv';
import type { DriverOptions } from '../drivers.js';
import { loadRedis, type Redis } from './connection.js';
import { PREFIX, redisKeyValue } from './redis-key-value.js';

/** Storage that any number of processes share through one Redis. Rejects if Redis is unreachable or would lose state. */
export async function openRedis(url: string, { logger, eventIdMs }: DriverOptions): Promise<Driver> {
  const { redis, detail, ...store } = await redisKeyValue({ url, logger, eventIdMs });
  return { store, detail, cache: await sharedCache(redis) };
}

/** Apart from the values: nothing here is exported or walked. */
const NAMESPACE = `${PREFIX}c`;

/** What all processes cache, in the same Redis. Entries expire. */
export async function sharedCache(redis: Redis): Promise<CacheStore> {
  const { default: KeyvRedis } = await loadRedis();
  const store = new KeyvRedis<string>(redis.client, { throwOnConnectError: true, throwOnErrors: true });
  const keyv = new Keyv<string>({ store, namespace: NAMESPACE, useKeyPrefix: false, throwOnErrors: true });
  let failure: unknown = null;
  keyv.on('error', (error: unknown) => {
    failure = error;
  });
  return {
    get: (key) => redis.use(() => keyv.get(key)),
    set: (key, value, ttlMs) => redis.use(() => keyv.set(key, value, ttlMs)),
    delete: (key) => redis.use(() => keyv.delete(key)),
    // The adapter reports that it failed only as an event.
    clear: () =>
      redis.use(async () => {
        failure = null;
        await keyv.clear();
        if (failure !== null) throw failure;
      }),
  };
}
