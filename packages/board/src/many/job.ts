import { ApiError } from '@culprit/client';
import type { RunSummary } from '@culprit/core';
import { computed, signal } from '@preact/signals';
import { plural } from '../format.js';
import type { Work } from '../run/action.js';
import { decided } from '../state/decided.js';
import { hold } from '../state/run.js';
import { announcement, signedOut } from '../state/session.js';

/** Requests of one job at once: quick enough for thousands, and other reviewers are not delayed. */
const AT_ONCE = 4;
/** The interval of screen updates. */
const PACE_MS = 100;

/** A run that was not decided. */
interface Left {
  readonly run: RunSummary;
  readonly outcome: 'failed' | 'unsent';
  readonly why: string;
}

/** One decision on many runs. */
export interface Job {
  readonly action: Work;
  /** What was written in the dialog. */
  readonly text: string;
  readonly total: number;
  readonly done: readonly RunSummary[];
  /** Those that failed, and those that were not sent. */
  readonly left: readonly Left[];
  readonly running: boolean;
}

/** The latest job of this page. It stays until it is dismissed or another one starts. */
export const job = signal<Job | null>(null);
export const working = computed(() => job.value?.running === true);
let stopping = new AbortController();

export function stopJob(): void {
  stopping.abort();
}

export function dismissJob(): void {
  if (!working.value) job.value = null;
}

/** Starts a job, unless one is running. Resolves when it has ended. */
export async function startJob(action: Work, runs: readonly RunSummary[], text: string): Promise<void> {
  if (working.value || runs.length === 0) return;
  // Undo concerns the latest decision.
  decided.value = null;
  await work({ action, text, total: runs.length, done: [], left: [], running: true }, runs);
}

/** Asks again for what is left of the latest job. */
export async function retryJob(): Promise<void> {
  const last = job.value;
  if (last === null || last.running || last.left.length === 0) return;
  await work(
    { ...last, left: [], running: true },
    last.left.map(({ run }) => run),
  );
}

/** Undoes what the latest job has done. Returns false if it has no undo. */
export function undoJob(): boolean {
  const last = job.value;
  if (last === null || last.running || last.done.length === 0 || last.action.undo === undefined) return false;
  void startJob(last.action.undo, last.done, '');
  return true;
}

/** Sends every decision once. Resolves when each has an outcome; one that is being sent is finished first. */
async function work(begun: Job, runs: readonly RunSummary[]): Promise<void> {
  stopping = new AbortController();
  const { action, text } = begun;
  const done = [...begun.done];
  const left: Left[] = [];
  const show = (running: boolean) => {
    job.value = { ...begun, done: [...done], left: [...left], running };
  };
  show(true);
  const timer = window.setInterval(() => show(true), PACE_MS);
  window.addEventListener('beforeunload', warn);
  /** An error that concerns all runs, such as a lost connection: the rest is not sent. */
  let stopped = '';
  let expired = false;
  const send = async (run: RunSummary): Promise<void> => {
    if (stopped !== '' || stopping.signal.aborted) {
      left.push({ run, outcome: 'unsent', why: stopped || 'Stopped.' });
      return;
    }
    try {
      await hold(run.run_id, action.doing, () => action.send(run, text));
      done.push(run);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const status = error instanceof ApiError ? error.status : null;
      expired ||= status === 401;
      // It may have arrived. The work is idempotent, so it is safe to ask again.
      const stops = expired || status === 0;
      if (stops) stopped = why;
      left.push({ run, outcome: stops ? 'unsent' : 'failed', why });
    }
  };
  let next = 0;
  const line = async (): Promise<void> => {
    for (let run = runs[next++]; run !== undefined; run = runs[next++]) await send(run);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  window.clearInterval(timer);
  window.removeEventListener('beforeunload', warn);
  show(false);
  announcement.value = `${action.done}: ${plural(done.length, 'run')}${left.length === 0 ? '' : `, ${left.length} not`}`;
  if (expired) signedOut('Your session has ended. Sign in again to return to this page.');
}

/** Asks before the page is left. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
