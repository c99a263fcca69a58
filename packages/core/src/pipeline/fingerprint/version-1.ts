import type { Place } from './basis.js';
import { hashOf, type Reading, sentParts } from './reading.js';

/**
 * Only what every form of a crash contains counts: no type, folder or source line. Runs that began with it keep it, so it must
 * not change: see `docs/decisions/0071-fingerprint-v2.md`.
 */
export function version1({ basis, earlier, sent }: Reading): string {
  const { strategy, parts } = earlier ?? basis;
  const custom = sentParts(sent, parts);
  return hashOf('v1', custom === null ? strategy : 'custom', custom ?? parts);
}

/** Recursion counts once if it calls itself. */
export function places1(keyed: readonly Place[], most: number): readonly Place[] {
  return keyed.filter(({ key }, at) => key !== keyed[at - 1]?.key).slice(-most);
}
