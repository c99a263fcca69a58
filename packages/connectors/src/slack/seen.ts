import { createHash, randomUUID } from 'node:crypto';
import type { Values } from '@culprit/core';
import { boundedMap } from '@culprit/core/resilience';
import { refused } from './verify.js';

/** Longer than a signature can be valid: 5 minutes before its timestamp and 5 after. */
const KEEP_MS = 15 * 60_000;
/** Limit of the in-memory set; the storage remembers all signatures. */
const MAX_RECENT = 20_000;

export interface SeenSignatures {
  /** Resolves once per signature. A repeated one rejects with `unauthenticated`, even after a restart. */
  take(values: Values, signature: string): Promise<void>;
}

export function seenSignatures(): SeenSignatures {
  const recent = boundedMap<string, true>(MAX_RECENT);
  return {
    async take(values, signature) {
      const name = createHash('sha256').update(signature).digest('hex');
      const again = recent.has(name);
      recent.set(name, true);
      // If several processes receive the same request at once, one of them wins.
      const own = randomUUID();
      const first = (before: string | undefined) => (before === undefined ? own : undefined);
      const taken = again ? null : await values.change(`connector:slack:seen:${name}`, first, KEEP_MS);
      if (taken !== own) throw refused('This request was already received.');
    },
  };
}
