import { createHash, randomUUID } from 'node:crypto';
import type { Values } from '@culprit/core';
import { boundedMap } from '@culprit/core/resilience';
import { refused } from './verify.js';

/** Longer than a signature can be valid: 5 minutes before its time and 5 after. */
const KEEP_MS = 15 * 60_000;
/** In memory; the storage remembers all. */
const MAX_RECENT = 20_000;

export interface SeenSignatures {
  /** Resolves once; the same signature again rejects with `unauthenticated`, also after a restart. */
  take(values: Values, signature: string): Promise<void>;
}

export function seenSignatures(): SeenSignatures {
  const recent = boundedMap<string, true>(MAX_RECENT);
  return {
    async take(values, signature) {
      const name = createHash('sha256').update(signature).digest('hex');
      const again = recent.has(name);
      recent.set(name, true);
      // Of several processes that are sent the same request at once one is the first.
      const own = randomUUID();
      const first = (before: string | undefined) => (before === undefined ? own : undefined);
      const taken = again ? null : await values.change(`connector:slack:seen:${name}`, first, KEEP_MS);
      if (taken !== own) throw refused('This request was received before.');
    },
  };
}
