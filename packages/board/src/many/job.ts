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

/** One decision on many runs. */
export interface Job {
  readonly action: Work;
  /** What was written in the dialog. */
  readonly text: string;
  readonly total: number;
  readonly done: readonly RunSummary[];
  /** Those that failed, and those that were not sent. */
  readonly left: readonly Worked<RunSummary>[];
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
    last.left.map(({ item }) => item),
  );
}

/** Undoes what the latest job has done. Returns false if it has no undo. */
export function undoJob(): boolean {
  const last = job.value;
  if (last === null || last.running || last.done.length === 0 || last.action.undo === undefined) return false;
  void startJob(last.action.undo, last.done, '');
  return true;
}

async function work(begun: Job, runs: readonly RunSummary[]): Promise<void> {
  stopping = new AbortController();
  const done = [...begun.done];
  const left: Worked<RunSummary>[] = [];
  const show = (running: boolean) => {
    job.value = { ...begun, done: [...done], left: [...left], running };
  };
  show(true);
  const timer = window.setInterval(() => show(true), PACE_MS);
  window.addEventListener('beforeunload', warn);
  const { action, text } = begun;
  let expired = false;
  await workThrough({
    items: runs,
    atOnce: AT_ONCE,
    signal: stopping.signal,
    work: (run) => hold(run.run_id, action.doing, () => action.send(run, text)),
    stops: (error) => {
      expired ||= error instanceof ApiError && error.status === 401;
      return expired || (error instanceof ApiError && error.status === 0);
    },
    worked: (one) => {
      if (one.outcome === 'done') done.push(one.item);
      else left.push(one);
    },
  });
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

/** What became of one item. */
type Outcome = 'done' | 'failed' | 'unsent';

interface Worked<Item> {
  readonly item: Item;
  readonly outcome: Outcome;
  /** Why it failed, or was not sent. */
  readonly why: string;
}

interface WorkOptions<Item> {
  readonly items: readonly Item[];
  /** Items in progress at once. */
  readonly atOnce: number;
  readonly work: (item: Item) => Promise<unknown>;
  /** Whether the error concerns all items, such as a lost connection: then the rest is not sent. */
  readonly stops: (error: unknown) => boolean;
  readonly signal: AbortSignal;
  readonly worked: (one: Worked<Item>) => void;
}

/** Works on every item once. Resolves when each has an outcome; an item that was in progress is finished first. */
async function workThrough<Item>(options: WorkOptions<Item>): Promise<void> {
  const { items, atOnce, work, stops, signal, worked } = options;
  let next = 0;
  let stopped = '';
  const one = async (item: Item): Promise<void> => {
    if (stopped !== '' || signal.aborted) {
      worked({ item, outcome: 'unsent', why: stopped === '' ? 'Stopped.' : stopped });
      return;
    }
    try {
      await work(item);
      worked({ item, outcome: 'done', why: '' });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      // It may have arrived. The work is idempotent, so it is safe to ask again.
      if (stops(error)) stopped = why;
      worked({ item, outcome: stops(error) ? 'unsent' : 'failed', why });
    }
  };
  const line = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await one(item);
  };
  await Promise.all(Array.from({ length: atOnce }, line));
}
