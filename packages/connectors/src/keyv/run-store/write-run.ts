import type { NewHistoryEntry, RunSummary } from '@culprit/core';
import { keys, placeOf, scopesOf } from './keys.js';
import { encode, type RunHead } from './run-parts.js';
import type { Transaction } from './writer.js';

/** Writes a run's head and moves it in the lists of activity. */
export function writeHead(tx: Transaction, before: RunHead | null, head: RunHead): void {
  tx.put(keys.head(head.run.run_id), encode(head));
  const there = before === null ? [] : activityKeys(before.run);
  const wanted = activityKeys(head.run);
  for (const key of there) if (!wanted.includes(key)) tx.del(key);
  for (const key of wanted) if (!there.includes(key)) tx.put(key, '');
}

/** Appends to a run's history; `length` is how many entries it had. */
export function appendHistory(
  tx: Transaction,
  runId: string,
  length: number,
  entries: readonly NewHistoryEntry[],
): void {
  for (const [at, entry] of entries.entries()) {
    const sequence = length + at + 1;
    tx.put(keys.history(runId, sequence), encode({ ...entry, sequence }));
  }
}

function activityKeys(run: RunSummary): readonly string[] {
  const place = placeOf(run);
  return scopesOf(run).map((scope) => keys.activity(scope, place));
}
