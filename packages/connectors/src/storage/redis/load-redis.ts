import { CulpritError } from '@culprit/core';

/** Loaded when a shared store is opened, so that nobody else pays for it and its absence is told. */
export async function loadRedis(): Promise<typeof import('@keyv/redis')> {
  try {
    return await import('@keyv/redis');
  } catch (cause) {
    throw new CulpritError(
      'connector_missing',
      'Storage in Redis needs @keyv/redis: npm install @keyv/redis',
      {
        cause,
      },
    );
  }
}
