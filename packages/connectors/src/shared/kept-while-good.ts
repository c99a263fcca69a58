import type { Check } from '@culprit/core';
import { type CacheContext, openCache } from './open-cache.js';

/** `/readyz` is probed every few seconds. A good result of this age is reused and costs no requests. */
const GOOD_FOR_MS = 60_000;

/** Reuses a good result for a minute, warnings included; a bad one is checked again. */
export function keptWhileGood(
  context: CacheContext,
  check: (signal: AbortSignal) => Promise<readonly Check[]>,
): (signal: AbortSignal) => Promise<readonly Check[]> {
  const kept = openCache<readonly Check[]>(context, {
    namespace: 'checks',
    ttlMs: GOOD_FOR_MS,
    entries: 1,
    // Of this process's own network and credentials.
    local: true,
  });
  const isGood = (checks: readonly Check[]) => checks.every(({ ok, optional }) => ok || optional === true);
  return (signal) => kept.through('all', () => check(signal), isGood);
}
