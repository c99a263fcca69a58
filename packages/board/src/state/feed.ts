import { connectLive, type EdgeFigures, type LiveClient } from '@culprit/client/live';
import type { RunSummary } from '@culprit/core';
import { wokenText } from '@culprit/core/internal/domain/snooze';
import type { AnalysisStep } from '@culprit/core/internal/pipeline/analysis';
import { batch, computed, signal } from '@preact/signals';
import { coreUrl } from '../api.js';
import { noteGuards } from './guards.js';
import { announcement, notice, signedOut } from './session.js';

/** The interval of screen updates, longer for thousands of runs, which have to be sorted. */
const PACE_MS = 120;
const PACE_MS_FOR_EACH_RUN = 0.06;
/** New runs within this time share one announcement. */
const ANNOUNCE_MS = 2_000;

export const connection = signal<{ readonly state: LiveClient['state']; readonly detail: string }>({
  state: 'connecting',
  detail: 'connecting',
});
/** Time of core's last message, ms since 1970. */
export const lastHeard = signal(Date.now());
/** Seconds without a message while connected, once they are too many to call the feed live; otherwise 0. */
export const silence = signal(0);
/** Core sends a beat every five seconds. */
const SILENT_MS = 15_000;
window.setInterval(() => {
  const ms = Date.now() - lastHeard.value;
  silence.value = connection.value.state === 'live' && ms > SILENT_MS ? Math.floor(ms / 1_000) : 0;
}, 1_000);
/** Why the screen may be out of date; `null` if it is not. */
export const outOfDate = computed<string | null>(() => {
  if (connection.value.state !== 'live') return 'Not connected to core.';
  return silence.value === 0 ? null : `No data from core for ${silence.value} s.`;
});

/** Core's open runs; a new map with each screen update. */
export const openRuns = signal<ReadonlyMap<string, RunSummary>>(new Map());
/** The last summaries of runs that were closed since the page was opened. */
export const closedRuns = signal<ReadonlyMap<string, RunSummary>>(new Map());
/** False while open runs are still being read. */
export const complete = signal(false);
export const guards = signal<readonly EdgeFigures[]>([]);
/** Runs that arrived, or woke, since the page was opened and have not been viewed. */
export const unseen = signal<ReadonlySet<string>>(new Set());

/** The finished steps of running analyses, by run. */
export const progress = signal<ReadonlyMap<string, readonly AnalysisStep[]>>(new Map());
/** Analyses whose steps are remembered; core runs far fewer at once. */
const PROGRESS_RUNS = 100;

type RunListener = (run: RunSummary) => void;
const listeners = new Set<RunListener>();
/** Calls the listener for every change of every run. Returns a function that removes it. */
export function onRun(listener: RunListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

type ChangeListener = (run: RunSummary, before: RunSummary | null) => void;
const changeListeners = new Set<ChangeListener>();
/** Calls the listener for every change, with the run as it was; `null` if it was closed or is new. Not for runs of a snapshot. */
export function onChange(listener: ChangeListener): () => void {
  changeListeners.add(listener);
  return () => void changeListeners.delete(listener);
}

let client: LiveClient | null = null;
let timer = 0;
let arrived: string[] = [];
let fresh: string[] = [];

function step(): void {
  timer = 0;
  if (client === null) return;
  const { runs, complete: whole } = client;
  batch(() => {
    openRuns.value = new Map(runs);
    complete.value = whole;
    if (fresh.length > 0) unseen.value = new Set([...unseen.value, ...fresh]);
  });
  fresh = [];
}
function soon(): void {
  if (timer === 0) timer = window.setTimeout(step, PACE_MS + openRuns.value.size * PACE_MS_FOR_EACH_RUN);
}

function announce(run: RunSummary): void {
  arrived.push(run.title);
  if (arrived.length > 1) return;
  window.setTimeout(() => {
    const [first] = arrived;
    announcement.value = arrived.length === 1 ? `New run: ${first}` : `${arrived.length} new runs`;
    arrived = [];
  }, ANNOUNCE_MS);
}

/** Follows the live feed until the reviewer signs out. */
export function startFeed(): void {
  stopFeed();
  const live = connectLive({ url: coreUrl, pausesMs: [300, 1_000, 2_000, 4_000, 8_000] });
  client = live;
  live.on('snapshot', () => {
    step();
    for (const listener of listeners) for (const run of live.runs.values()) listener(run);
  });
  live.on('complete', step);
  live.on('run', ({ run, before, open }) => {
    if (open && before === null) {
      fresh.push(run.run_id);
      announce(run);
    }
    if (before?.state === 'snoozed' && run.woken && run.state !== 'snoozed') {
      fresh.push(run.run_id);
      announcement.value = `Back from a snooze: ${run.title}. ${wokenText(run.woken)}`;
    }
    if (open && closedRuns.value.has(run.run_id)) {
      const rest = new Map(closedRuns.value);
      rest.delete(run.run_id);
      closedRuns.value = rest;
    }
    if (!open) closedRuns.value = new Map([...closedRuns.value, [run.run_id, run] as const].slice(-200));
    if (run.state !== 'analyzing' && progress.value.has(run.run_id)) {
      const rest = new Map(progress.value);
      rest.delete(run.run_id);
      progress.value = rest;
    }
    for (const listener of listeners) listener(run);
    for (const listener of changeListeners) listener(run, before);
    soon();
  });
  live.on('progress', ({ run_id, steps }) => {
    progress.value = new Map([...progress.value, [run_id, steps] as const].slice(-PROGRESS_RUNS));
  });
  live.on('guard', (figures) => {
    guards.value = figures;
    noteGuards(figures);
  });
  live.on('message', () => {
    lastHeard.value = Date.now();
    silence.value = 0;
  });
  live.on('state', (now) => {
    connection.value = now;
    if (now.state === 'live' && notice.value?.offline === true) notice.value = null;
    if (now.state === 'closed' && client === live) {
      client = null;
      signedOut(
        now.reason === 'signed_out'
          ? 'Your session has ended. Sign in again.'
          : `Disconnected: ${now.detail}.`,
      );
    }
  });
}

export function stopFeed(): void {
  const live = client;
  client = null;
  live?.close();
  openRuns.value = new Map();
  closedRuns.value = new Map();
  complete.value = false;
  unseen.value = new Set();
}

export function seen(runId: string): void {
  if (!unseen.value.has(runId)) return;
  const rest = new Set(unseen.value);
  rest.delete(runId);
  unseen.value = rest;
}
