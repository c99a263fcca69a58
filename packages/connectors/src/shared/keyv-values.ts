import { CulpritError, isCulpritError } from '@culprit/core/connector';
import type { Values } from '@culprit/core/internal/ports/values';
import { keyedMutex } from '@culprit/core/internal/resilience/mutex';
import { Keyv, type KeyvStoreAdapter } from 'keyv';

/**
 * The `values` port on Keyv, over any Keyv adapter. Operations on one key run one at a time, because Keyv deletes the
 * expired values it finds; so a `change` is atomic within this process. Shared storage has its own implementation.
 */
export function keyvValues(store: KeyvStoreAdapter | Map<string, unknown>, prefix = ''): Values {
  const keyv = new Keyv<string>({ store, useKeyPrefix: false, namespace: '', throwOnErrors: true });
  keyv.on('error', () => {
    // The caller gets the same error as a rejection; without a listener Keyv's emitter would throw.
  });
  const exclusive = keyedMutex<string>();
  const inTurn = <Result>(key: string, work: () => Promise<Result>): Promise<Result> =>
    exclusive(key, work).catch((error: unknown) => {
      throw isCulpritError(error) ? error : unavailable(error);
    });

  const put = async (key: string, value: string, ttlMs?: number): Promise<boolean> => {
    // Keyv treats a time to live of 0 as none.
    const hasExpired = ttlMs !== undefined && ttlMs <= 0;
    await (hasExpired ? keyv.delete(prefix + key) : keyv.set(prefix + key, value, ttlMs));
    return !hasExpired;
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
  return new CulpritError('storage_unavailable', `The value store failed: ${detail}.`, { cause });
}
