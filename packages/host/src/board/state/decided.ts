import type { Run } from '@culprit/core/model';
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
  readonly undoable: boolean;
}
export const decided = signal<Decided | null>(null);

/** Runs whose analysis or publication this reviewer has started and may no longer see. */
const followed = new Map<string, string>();

export function noteDecision({ run_id, title }: Run, words: string, undoable: boolean): void {
  decided.value = { runId: run_id, title, words, undoable };
  announcement.value = `${words}: ${title}`;
  if (!undoable) followed.set(run_id, title);
}

/** Undoes the latest decision, if it is a rejection, and opens its run. Returns false if there is none. */
export function undo(): boolean {
  const last = decided.value;
  if (last?.undoable !== true) return false;
  decided.value = null;
  void decide(last.runId, 'Undoing', () => api.reopen(last.runId)).then((done) => {
    if (!done) return;
    announcement.value = `Rejection undone: ${last.title}`;
    goToRun(last.runId);
  });
  return true;
}

/** A failure is said wherever the reviewer is by then. */
onRun(({ run_id, state, last_error }) => {
  const title = followed.get(run_id);
  if (title === undefined || state === 'analyzing' || state === 'publishing') return;
  followed.delete(run_id);
  if (last_error === null) return;
  const what = state === 'staged_raw' ? 'The analysis failed' : 'The issue was not published';
  notice.value = { tone: 'red', text: `${what}: ${title}. ${last_error.detail}`, run: run_id };
});
