import {
  type ChainFinding,
  checkChain,
  type HistoryChain,
} from '@culprit/core/internal/pipeline/history-chain';

/** A break in the history of a run. */
export interface RunFinding extends ChainFinding {
  readonly run_id: string;
}

/** What was checked, and what was found in it. */
export interface HistoryCheck {
  readonly runs: number;
  readonly entries: number;
  /** Entries whose names and reasons were erased. */
  readonly erased: number;
  /** Entries from before the key was set; not verifiable. */
  readonly unsealed: number;
  /** ISO 8601: times of the earliest and of the latest entry; `null` without any. */
  readonly first_at: string | null;
  readonly last_at: string | null;
  readonly findings: readonly RunFinding[];
}

/**
 * Checks the histories of runs, one after another. `sealedSince`: ISO 8601, when the key was set; earlier entries may lack a seal.
 * `null`: none may.
 */
export function historyChecker(key: string, sealedSince: string | null) {
  let sum: Omit<HistoryCheck, 'findings'> = {
    ...{ runs: 0, entries: 0, erased: 0, unsealed: 0 },
    ...{ first_at: null, last_at: null },
  };
  const findings: RunFinding[] = [];
  return {
    add(chain: HistoryChain): void {
      const { run_id, entries } = chain;
      const checked = checkChain(key, { ...chain, sealedSince });
      const times = entries.map(({ at }) => at);
      sum = {
        runs: sum.runs + 1,
        entries: sum.entries + checked.entries,
        erased: sum.erased + checked.erased,
        unsealed: sum.unsealed + checked.unsealed,
        first_at: times.reduce((first, at) => (first === null || at < first ? at : first), sum.first_at),
        last_at: times.reduce((last, at) => (last === null || at > last ? at : last), sum.last_at),
      };
      findings.push(...checked.findings.map((finding) => ({ run_id, ...finding })));
    },
    result: (): HistoryCheck => ({ ...sum, findings }),
  };
}
