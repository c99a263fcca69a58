import { CulpritError } from '@culprit/core';

/** Loaded only when a shared store is opened. */
export async function loadRedis(): Promise<typeof import('@keyv/redis')> {
  try {
    return await import('@keyv/redis');
  } catch (cause) {
    throw new CulpritError('connector_missing', 'Redis storage needs @keyv/redis: npm install @keyv/redis', {
      cause,
    });
  }
}
