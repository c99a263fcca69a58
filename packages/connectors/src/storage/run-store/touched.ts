import type { Run } from '@culprit/core/connector';
import { cameBack } from '@culprit/core/internal/domain/comeback';
import type { NewHistoryEntry } from '@culprit/core/internal/domain/history';
import type { OccurrenceRow } from '@culprit/core/internal/domain/occurrence-row';
import { type KnownRuns, knownHead } from './follow-merges.js';
import type { NumberedEvent } from './fresh-events.js';
import type { BatchQuotas } from './record-quotas.js';
import type { RunHead } from './run-parts.js';
import type { Transaction } from './writer.js';

/** A run before and after a batch. */
export interface Touched {
  readonly before: RunHead | null;
  head: RunHead;
  /** The occurrence to show from now on; `null`: the stored event stays. */
  shown: NumberedEvent | null;
  /** The occurrence that started the run in this batch. */
  first: NumberedEvent | null;
  /** In the order of the batch. */
  readonly rows: OccurrenceRow[];
  history: readonly NewHistoryEntry[];
}
/** What a batch has written so far. */
export interface Written {
  readonly touched: Map<string, Touched>;
  /** See `RecordResult.changed`. */
  readonly changed: Set<string>;
  readonly quotas: BatchQuotas;
}

/** Names a new regression on the run whose issue was closed, unless retention has deleted that one. */
export async function linkEarlier(
  tx: Pick<Transaction, 'getMany'>,
  known: KnownRuns,
  { touched, changed }: Written,
  { run_id, regression_of }: Pick<Run, 'run_id' | 'regression_of'>,
  now: string,
): Promise<void> {
  const head = regression_of === null ? null : await knownHead(tx, known, regression_of);
  if (head === null || head.tombstone) return;
  const { run, entry } = cameBack(head.run, run_id, now);
  const sofar = touched.get(run.run_id) ?? { before: head, shown: null, first: null, rows: [], history: [] };
  const next = { ...head, run };
  touched.set(run.run_id, { ...sofar, head: next, history: [...sofar.history, entry] });
  known.heads.set(run.run_id, next);
  changed.add(run.run_id);
}
