import type { PersonErasure } from '@culprit/core/internal/ports/person-erasure';
import { type EraseRunsParts, eraseRuns } from './erase-runs.js';
import { type EraseValuesParts, eraseValues, type ValueKey } from './erase-values.js';

export interface PersonErasureParts extends Omit<EraseRunsParts, 'now'>, EraseValuesParts {
  /** Approximate number of runs. */
  readonly count: () => Promise<number>;
  readonly compact: () => Promise<void>;
}

/** The port over a storage that this process has open. */
export function personErasure(parts: PersonErasureParts): PersonErasure {
  const now = () => new Date().toISOString();
  return {
    countRuns: parts.count,
    runs: (order) => eraseRuns({ ...parts, now }, order),
    values: (order) => eraseValues(parts, order),
    compact: parts.compact,
  };
}

/** The keys of values in memory, which Keyv stores with their expiry. */
export async function* memoryValueKeys(
  kept: ReadonlyMap<string, unknown>,
  families: readonly string[],
): AsyncGenerator<ValueKey> {
  for (const [key, stored] of [...kept]) {
    if (!families.some((family) => key.startsWith(`${family}:`))) continue;
    const { expires } = JSON.parse(String(stored)) as { readonly expires?: number };
    yield { key, expires: expires ?? 0 };
  }
}
