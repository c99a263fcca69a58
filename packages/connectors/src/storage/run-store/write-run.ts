import type { HistoryEntry } from '@culprit/core';
import { keys, placeOf, scopesOf } from './keys.js';
import { encode, encodeHead, type RunHead } from './run-parts.js';
import type { Transaction } from './writer.js';

/** Writes a run's head and moves it in the activity lists. */
export function writeHead(tx: Transaction, before: RunHead | null, head: RunHead): void {
  tx.put(keys.head(head.run.run_id), encodeHead(head));
  const there = before === null ? [] : activityKeys(before);
  const wanted = activityKeys(head);
  for (const key of there) if (!wanted.includes(key)) tx.del(key);
  for (const key of wanted) if (!there.includes(key)) tx.put(key, '');
}

export function putHistory(tx: Transaction, runId: string, entries: readonly HistoryEntry[]): void {
  for (const entry of entries) tx.put(keys.history(runId, entry.sequence), encode(entry));
}

function activityKeys({ run, tombstone }: RunHead): readonly string[] {
  if (tombstone) return [];
  const place = placeOf(run);
  return scopesOf(run).map((scope) => keys.activity(scope, place));
}
