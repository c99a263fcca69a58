import type { RunHistory } from '../ports/run-history.js';
import type { RunStore } from '../ports/run-store.js';
import type { ChainParts } from './history-chain.js';

/** One run's history with what it must agree with: all that `checkChain` needs but the rule about entries without a seal. */
export type HistoryChain = Omit<ChainParts, 'sealedSince'>;

/** A run that is in use may change between two reads; reading this often tells that from entries that somebody has added. */
const READS = 4;

/** Reads a run's chain from a storage that may be in use; `null` for an unknown run. */
export async function readChain(
  { runStore, runHistory }: { readonly runStore: Pick<RunStore, 'get'>; readonly runHistory: RunHistory },
  runId: string,
): Promise<HistoryChain | null> {
  for (let reads = 1; ; reads += 1) {
    const record = await runStore.get(runId);
    if (record === null) return null;
    const { run, intent, sealed: head = null } = record;
    const entries = await runHistory.history(runId);
    const published = run.publication === null ? null : (intent?.audit ?? null);
    if (reads === READS || head === null || entries.length <= head.entries)
      return { run_id: runId, entries, head, published };
  }
}
