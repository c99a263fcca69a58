import { randomBytes } from 'node:crypto';
import type { ErasedRuns, ErasedValues, ErasureOrder, PersonErasure } from '../../ports/person-erasure.js';
import { countRunIds } from '../transfer/transfer.js';
import { type ErasingStore, eraseRuns } from './erase-runs.js';
import { eraseValues } from './erase-values.js';

/** Nobody else uses the storage: no analysis is running, and what core stores about erasures goes, too. */
interface Idle {
  readonly idle?: true;
}

/** The port over a storage that this process has open. */
export function personErasure(store: ErasingStore, { idle }: Idle = {}): PersonErasure {
  return {
    countRuns: () => countRunIds(store.reads),
    runs: (order) => eraseRuns(store, order, idle === undefined),
    values: (order) => eraseValues(store, order, idle === undefined ? [] : ['erasures']),
    compact: store.compact,
  };
}

/** What an erasure changed, by kind of record. */
export type Erased = ErasedRuns & ErasedValues;

/**
 * Removes a person from every event, draft, piece of evidence and history entry, from the live feed's buffer, from values stored by
 * connectors, webhooks and releases, saved views and proposals; ends their tokens and sessions; kept answers to requests go; then
 * from the files of a file store. Text that was signed for publication stays. Each changed run records it in its history. Nothing
 * else may use the storage meanwhile, unless it is a dry run.
 */
export async function erasePersonFrom(
  store: ErasingStore,
  { person, dryRun = false }: { readonly person: string; readonly dryRun?: boolean },
  progress: (runs: number, all: number) => void,
): Promise<Erased> {
  const erasing = personErasure(store, { idle: true });
  const erasure_id = `era_${randomBytes(12).toString('hex')}`;
  const order: ErasureOrder = { person, erasure_id, by: null, dryRun, signal: new AbortController().signal };
  let runs: ErasedRuns = { runs: 0, events: 0, fields: 0, evidence: 0, drafts: 0, history: 0, issues: [] };
  let values: ErasedValues = { values: 0, tokens: 0, sessions: 0 };
  const all = await erasing.countRuns();
  for await (const { found, looked } of erasing.runs(order)) {
    runs = found;
    progress(looked, all);
  }
  for await (const { found } of erasing.values(order)) values = found;
  // Replaced values stay in the files until then.
  if (!dryRun) await erasing.compact();
  return { ...runs, ...values };
}
