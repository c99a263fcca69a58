import { cameBack } from '../domain/comeback.js';
import type { Event } from '../domain/event.js';
import type { NewHistoryEntry } from '../domain/history.js';
import { isKeptEvent } from '../domain/kept-events.js';
import type { OccurrenceRow } from '../domain/occurrence-row.js';
import type { Run } from '../domain/run.js';
import { trustOf } from '../domain/trust.js';
import { type KnownRuns, knownHead } from './families.js';
import { keys } from './keys.js';
import type { EventToKeep } from './occurrence-log.js';
import type { BatchQuotas, FreshEvents } from './record-quotas.js';
import { loggedOf, type RunHead } from './run-parts.js';
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

/** An event and the number of its occurrence in its run. */
export interface NumberedEvent {
  readonly number: number;
  readonly event: Event;
}

/** The stored events of runs with one occurrence. */
export async function loadFirsts(
  tx: Transaction,
  heads: ReadonlyMap<string, RunHead>,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...heads].flatMap(([id, head]) =>
    loggedOf(head) === 1 && head.log?.shown === 1 && !head.tombstone ? [id] : [],
  );
  const texts = ids.length > 0 ? await tx.getMany(ids.map(keys.event)) : [];
  return new Map(
    ids.flatMap((id, at) => {
      const text = texts[at];
      return text === undefined ? [] : [[id, text] as const];
    }),
  );
}

/** The event to show, and those that stay stored when a later one is shown. */
export function freshEvents(
  before: RunHead | null,
  { first, shown }: { readonly first: NumberedEvent | null; readonly shown: NumberedEvent | null },
  storedFirst: string | undefined,
  textOf: (event: Event) => string,
): FreshEvents {
  if (shown === null) return { shown, further: [] };
  const { number, event } = shown;
  const text = textOf(event);
  const further: EventToKeep[] = [];
  if (number > 1 && first !== null) further.push({ number: 1, text: textOf(first.event) });
  if (number > 1 && storedFirst !== undefined) further.push({ number: 1, text: storedFirst });
  const kept = [...(before?.log?.kept ?? []), ...further.map(({ number: n }) => [n, 0] as const)];
  if (number > 1 && isKeptEvent(number, event, kept, before?.run.releases ?? []))
    further.push({ number, text });
  return { shown: { number, text, trust: trustOf(event) }, further };
}
