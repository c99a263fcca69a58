import type { Run, RunState } from '@culprit/core';
import { signal } from '@preact/signals';
import { api } from '../api.js';
import { onRun } from './feed.js';
import { goToRun } from './route.js';
import { decide } from './run.js';
import { announcement, notice } from './session.js';

/** The latest decision made on this page. */
export interface Decided {
  readonly runId: string;
  readonly title: string;
  /** `Rejected`, `Approved Gate 1`. */
  readonly words: string;
  /** What undoes it; `null` if nothing does. */
  readonly undo: Undo | null;
  /** The other runs that waited beside it, nearest first, in the state in which they waited. */
  readonly neighbours: readonly { readonly id: string; readonly state: RunState }[];
}
export type Undo = 'reopenRun' | 'wakeRun' | 'splitRun';
const UNDONE: Readonly<Record<Undo, string>> = {
  reopenRun: 'Rejection',
  wakeRun: 'Snooze',
  splitRun: 'Merge',
};
export const decided = signal<Decided | null>(null);

/** Runs whose analysis or publication this reviewer has started and may no longer see. */
const followed = new Map<string, string>();

export function noteDecision(
  { run_id, title }: Run,
  { words, undo, neighbours }: Pick<Decided, 'words' | 'undo' | 'neighbours'>,
): void {
  decided.value = { runId: run_id, title, words, undo, neighbours };
  announcement.value = `${words}: ${title}`;
  if (undo === null) followed.set(run_id, title);
}

/** Undoes the latest decision, if it is a rejection, a snooze or a merge, and opens its run. Returns false if there is none. */
export function undo(): boolean {
  const last = decided.value;
  const way = last?.undo ?? null;
  if (last === null || way === null) return false;
  decided.value = null;
  void decide(last.runId, 'Undoing', () => api[way]({ run_id: last.runId })).then((done) => {
    if (!done) return;
    announcement.value = `${UNDONE[way]} undone: ${last.title}`;
    goToRun({ run_id: last.runId });
  });
  return true;
}

/** A failure is said wherever the reviewer is by then. A snooze that has ended by itself cannot be undone. */
onRun(({ run_id, state, last_error, woken }) => {
  if (woken && decided.value?.runId === run_id && decided.value.undo === 'wakeRun') decided.value = null;
  const title = followed.get(run_id);
  if (title === undefined || state === 'analyzing' || state === 'publishing') return;
  followed.delete(run_id);
  if (last_error === null) return;
  const what = state === 'staged_raw' ? 'The analysis failed' : 'The issue was not published';
  notice.value = { tone: 'red', text: `${what}: ${title}. ${last_error.detail}`, run: run_id };
});
