import { randomBytes } from 'node:crypto';
import type { ErasedRuns, ErasedValues } from '@culprit/core/internal/ports/person-erasure';
import type { Seal } from '../run-store/seal.js';
import type { OpenStore } from '../tools/open-store.js';
import { eraseRuns } from './erase-runs.js';
import { eraseValues } from './erase-values.js';

/** What an erasure changed, by kind of record. */
export type Erased = ErasedRuns & ErasedValues;

/** Whom to erase, and how. */
export interface Erasure {
  /** A user id, address or name. */
  readonly id: string;
  /** The current time, ISO 8601. */
  readonly now: () => string;
  readonly seal: Seal;
  /** True: only counts. Default: false. */
  readonly dryRun?: boolean;
}

/** What core stores about erasures has names of operators. */
const ERASURES = ['erasures'];

/**
 * Removes a person from every event, draft, piece of evidence and history entry, from the live feed's buffer, from values stored by
 * connectors, webhooks and releases, saved views and proposals; ends their tokens and sessions; kept answers to requests go; then
 * from the files of a file store. Text that was signed for publication stays. Each changed run records it in its history. Nothing
 * else may use the storage meanwhile, unless it is a dry run.
 */
export async function erasePersonFrom(
  store: OpenStore,
  { id, now, seal, dryRun = false }: Erasure,
  progress: (runs: number) => void,
): Promise<Erased> {
  const erasure_id = `era_${randomBytes(12).toString('hex')}`;
  const order = { person: id, erasure_id, by: null, dryRun, signal: new AbortController().signal };
  let runs: ErasedRuns = { runs: 0, events: 0, fields: 0, evidence: 0, drafts: 0, history: 0, issues: [] };
  let values: ErasedValues = { values: 0, tokens: 0, sessions: 0 };
  const { dump } = store;
  const parts = { ...store, ...dump, seal, feed: null, now, more: ERASURES };
  for await (const { found, looked } of eraseRuns(parts, order)) {
    runs = found;
    progress(looked);
  }
  for await (const { found } of eraseValues(parts, order)) values = found;
  // Replaced values stay in the files until then.
  if (!dryRun) await store.compact();
  return { ...runs, ...values };
}
