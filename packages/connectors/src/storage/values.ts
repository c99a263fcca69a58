import { CulpritError, isCulpritError, type Values } from '@culprit/core';
import { keyedMutex } from '@culprit/core/resilience';
import { Keyv, type KeyvStoreAdapter } from 'keyv';

/**
 * The `values` port on Keyv, over any of its adapters. Operations on one key take turns, as Keyv deletes what it finds
 * expired; so a `change` is one step for this process. A storage that several share brings its own.
 */
export function keyvValues(store: KeyvStoreAdapter | Map<string, unknown>, prefix = ''): Values {
  const keyv = new Keyv<string>({ store, useKeyPrefix: false, namespace: '', throwOnErrors: true });
  keyv.on('error', () => {
    // Also rejected to the caller; without a listener Keyv's emitter would throw.
  });
  const exclusive = keyedMutex<string>();
  const inTurn = <Result>(key: string, work: () => Promise<Result>): Promise<Result> =>
    exclusive(key, work).catch((error: unknown) => {
      throw isCulpritError(error) ? error : unavailable(error);
    });

  const put = async (key: string, value: string, ttlMs?: number): Promise<boolean> => {
    // Keyv takes a time to live of 0 for none.
    const gone = ttlMs !== undefined && ttlMs <= 0;
    await (gone ? keyv.delete(prefix + key) : keyv.set(prefix + key, value, ttlMs));
    return !gone;
  };
  return {
    get: (key) => inTurn(key, () => keyv.get<string>(prefix + key)),
    set: (key, value, ttlMs) => inTurn(key, async () => void (await put(key, value, ttlMs))),
    change: (key, decide, ttlMs) =>
      inTurn(key, async () => {
        const before = await keyv.get<string>(prefix + key);
        const wanted = decide(before);
        if (wanted === undefined) return before;
        return (await put(key, wanted, ttlMs)) ? wanted : undefined;
      }),
    delete: (key) => inTurn(key, async () => void (await keyv.delete(prefix + key))),
  };
}

function unavailable(cause: unknown): CulpritError {
  const detail = cause instanceof Error ? cause.message : 'unknown failure';
  return new CulpritError('storage_unavailable', `The storage of values failed: ${detail}.`, { cause });
}
