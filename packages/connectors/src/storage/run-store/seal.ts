import { randomBytes } from 'node:crypto';
import type { HistoryEntry } from '@culprit/core';
import type { NewHistoryEntry } from '@culprit/core/internal/domain/history';
import { sealEntry } from '@culprit/core/internal/pipeline/history-chain';

/** Seals a run's history entries into a chain, each on top of the previous one. */
export type Seal = (runId: string, before: string, entry: HistoryEntry) => HistoryEntry;

/** Without a key entries stay unsealed. */
export function sealWith(key: string | null): Seal {
  if (key === null) return (_runId, _before, entry) => entry;
  return (run_id, before, entry) => {
    const salt = randomBytes(12).toString('base64url');
    return { ...entry, seal: sealEntry(key, { run_id, before, entry, salt }) };
  };
}

export interface Chained {
  readonly entries: readonly HistoryEntry[];
  /** The last seal; unchanged if nothing is sealed. */
  readonly chain: string | undefined;
}

/** `length`: number of entries of the run so far; `chain`: seal of the last one. */
export function chained(
  seal: Seal,
  runId: string,
  length: number,
  chain: string | undefined,
  added: readonly NewHistoryEntry[],
): Chained {
  let last = chain;
  const entries = added.map((entry, at) => {
    const sealed = seal(runId, last ?? '', { ...entry, sequence: length + at + 1 });
    last = sealed.seal?.mac ?? last;
    return sealed;
  });
  return { entries, chain: last };
}
