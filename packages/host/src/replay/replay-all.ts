import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CaseResult, ReplayCase } from './replay-case.js';

export interface ReplayAllOptions {
  readonly times: number;
  readonly parallel: number;
  readonly signal: AbortSignal;
  readonly onDone: (done: number, all: number) => void;
}

export interface ReplaySummary {
  /** One for each case: its first repetition, or the first that differs from it. */
  readonly results: readonly CaseResult[];
  readonly deliveries: number;
  readonly seconds: number;
}

/** Replays every case `times` times, at most `parallel` at once. A repetition with another digest is a difference. */
export async function replayAll(
  cases: readonly ReplayCase[],
  replayCase: (one: ReplayCase) => Promise<CaseResult>,
  { times, parallel, signal, onDone }: ReplayAllOptions,
): Promise<ReplaySummary> {
  const started = performance.now();
  const results: (CaseResult | undefined)[] = [];
  const all = cases.length * times;
  let next = 0;
  let done = 0;
  let deliveries = 0;
  const work = async () => {
    while (next < all) {
      signal.throwIfAborted();
      const index = next++ % cases.length;
      const one = cases[index];
      if (one === undefined) return;
      const result = await replayCase(one);
      deliveries += result.deliveries;
      results[index] = worse(results[index], result);
      onDone(++done, all);
      // A case may run entirely in microtasks; without a turn of the event loop weak references are never cleared.
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, all) }, work));
  const seconds = (performance.now() - started) / 1000;
  return { results: results.filter((result) => result !== undefined), deliveries, seconds };
}

function worse(before: CaseResult | undefined, now: CaseResult): CaseResult {
  if (before === undefined) return now;
  if (before.runs.some(({ verdict }) => verdict === 'different' || verdict === 'failed')) return before;
  const runs = now.runs.map((run, index) => {
    const digest = before.runs[index]?.digest ?? null;
    if (run.verdict === 'different' || run.digest === digest) return run;
    return { ...run, verdict: 'different', detail: 'a repetition gave a different result' } as const;
  });
  return runs.some(({ verdict }) => verdict === 'different' || verdict === 'failed')
    ? { ...now, runs }
    : before;
}
