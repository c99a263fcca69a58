import type { RunSummary } from '@culprit/core';
import { batch, signal } from '@preact/signals';
import { connectLive, type EdgeFigures, type LiveClient } from '../../live-client/index.js';
import { noteGuards } from './guards.js';
import { announcement, signedOut } from './session.js';

/** However fast changes come, the screen follows at this pace; slower where thousands of runs must be put in order. */
const PACE_MS = 120;
const PACE_MS_FOR_EACH_RUN = 0.06;
/** Arrivals within this time are read out together. */
const ANNOUNCE_MS = 2_000;

export const connection = signal<{ readonly state: LiveClient['state']; readonly detail: string }>({
  state: 'connecting',
  detail: 'connecting',
});
/** When core was last heard, ms since 1970. */
export const lastHeard = signal(Date.now());
/** Open runs as core has them. A new map with each step of the pace. */
export const openRuns = signal<ReadonlyMap<string, RunSummary>>(new Map());
/** The last summary of runs that were closed while the page was open. */
export const closedRuns = signal<ReadonlyMap<string, RunSummary>>(new Map());
/** False until the first snapshot, and while its rest is still being read. */
export const complete = signal(false);
export const guards = signal<readonly EdgeFigures[]>([]);
/** Runs that came while the page was open and were not looked at yet. */
export const unseen = signal<ReadonlySet<string>>(new Set());

type RunListener = (run: RunSummary) => void;
const listeners = new Set<RunListener>();
/** Told of each change of each run, at once. Returns how to stop. */
export function onRun(listener: RunListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
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
    lastHeard.value = Date.now();
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
    announcement.value =
      arrived.length === 1 ? `A new crash waits: ${first}` : `${arrived.length} new crashes wait`;
    arrived = [];
  }, ANNOUNCE_MS);
}

/** Follows the live feed until somebody signs out. */
export function startFeed(): void {
  stopFeed();
  const live = connectLive({ url: location.origin, pausesMs: [300, 1_000, 2_000, 4_000, 8_000] });
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
    if (!open) closedRuns.value = new Map([...closedRuns.value, [run.run_id, run] as const].slice(-200));
    for (const listener of listeners) listener(run);
    soon();
  });
  live.on('guard', (figures) => {
    guards.value = figures;
    noteGuards(figures);
    lastHeard.value = Date.now();
  });
  live.on('state', (now) => {
    connection.value = now;
    if (now.state === 'closed' && client === live) {
      client = null;
      signedOut(`You were signed out: ${now.detail}.`);
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
