import type { Run, RunState } from '@culprit/core';
import { signal } from '@preact/signals';
import type { Work } from '../run/action.js';
import { undoSnooze } from '../run/works.js';
import { onRun } from './feed.js';
import { goToRun } from './route.js';
import { decide } from './run.js';
import { announcement, notice } from './session.js';

/** The latest decision made on this page. */
interface Decided {
  readonly run: Run;
  /** `Rejected`, `Approved Gate 1`. */
  readonly words: string;
  /** What undoes it; `null` if nothing does. */
  readonly undo: Work | null;
  /** The other runs that waited beside it, nearest first, in the state in which they waited. */
  readonly neighbours: readonly { readonly id: string; readonly state: RunState }[];
}
export const decided = signal<Decided | null>(null);

/** Runs whose analysis or publication this reviewer has started and may no longer see. */
const followed = new Map<string, string>();

export function noteDecision(one: Decided): void {
  const { run, words, undo } = one;
  decided.value = one;
  announcement.value = `${words}: ${run.title}`;
  if (undo === null) followed.set(run.run_id, run.title);
}

/** Undoes the latest decision, if it is a rejection, a snooze or a merge, and opens its run. Returns false if there is none. */
export function undo(): boolean {
  const { run, undo: way } = decided.value ?? { undo: null };
  if (run === undefined || way === null) return false;
  decided.value = null;
  void decide(run.run_id, way.doing, () => way.send(run, '')).then((done) => {
    if (!done) return;
    announcement.value = `${way.done}: ${run.title}`;
    goToRun({ run_id: run.run_id });
  });
  return true;
}

/** A failure is said wherever the reviewer is by then. A snooze that has ended by itself cannot be undone. */
onRun(({ run_id, state, last_error, woken }) => {
  if (woken && decided.value?.run.run_id === run_id && decided.value.undo === undoSnooze)
    decided.value = null;
  const title = followed.get(run_id);
  if (title === undefined || state === 'analyzing' || state === 'publishing') return;
  followed.delete(run_id);
  if (last_error === null) return;
  const what = state === 'staged_raw' ? 'The analysis failed' : 'The issue was not published';
  notice.value = { tone: 'red', text: `${what}: ${title}. ${last_error.detail}`, run: run_id };
});
