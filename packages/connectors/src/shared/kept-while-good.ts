import type { Check } from '@culprit/core';

/** `/readyz` is probed every few seconds. A good result of this age is reused and costs no requests. */
const GOOD_FOR_MS = 60_000;

/** Reuses a good result for a minute, warnings included; a bad one is checked again. */
export function keptWhileGood(
  check: (signal: AbortSignal) => Promise<readonly Check[]>,
): (signal: AbortSignal) => Promise<readonly Check[]> {
  let kept: { readonly until: number; readonly checks: readonly Check[] } | null = null;
  return async (signal) => {
    if (kept !== null && Date.now() < kept.until) return kept.checks;
    const checks = await check(signal);
    kept = checks.every(({ ok, optional }) => ok || optional === true)
      ? { until: Date.now() + GOOD_FOR_MS, checks }
      : null;
    return checks;
  };
}
