import type { RunSummary } from '@culprit/core';
import { signal } from '@preact/signals';
import { api } from '../api.js';

/** Crashes in each of the last 24 hours by run, oldest first. */
export const activity = signal<ReadonlyMap<string, readonly number[]>>(new Map());

const HOURS = 24;
const MOST = 100;
const FRESH_MS = 5 * 60_000;
const asked = new Map<string, number>();
let wanted = new Set<string>();
let timer = 0;

/** Asks for the curves of what is on the screen, together and not too often. */
export function wantActivity(runIds: readonly string[]): void {
  const now = Date.now();
  for (const id of runIds) if ((asked.get(id) ?? 0) + FRESH_MS < now) wanted.add(id);
  if (wanted.size > 0 && timer === 0) timer = window.setTimeout(ask, 120);
}

async function ask(): Promise<void> {
  const ids = [...wanted].slice(0, MOST);
  wanted = new Set([...wanted].slice(MOST));
  for (const id of ids) asked.set(id, Date.now());
  try {
    const { runs } = await api.activity(ids);
    activity.value = new Map([...activity.value, ...Object.entries(runs)]);
  } catch {
    // Curves are a courtesy: without them the counts still stand there.
  }
  timer = wanted.size > 0 ? window.setTimeout(ask, 120) : 0;
}

const told = new Map<string, { more: number; fresh: boolean }>();

/** What the feed tells is added to the last hour, so that the curve moves with the count; drawn with the next step. */
export function noteCrashes(run: RunSummary, before: RunSummary | null): void {
  const more = run.occurrences - (before?.occurrences ?? 0);
  if (more <= 0) return;
  const known = told.get(run.run_id);
  told.set(run.run_id, {
    more: more + (known?.more ?? 0),
    fresh: (known?.fresh ?? false) || before === null,
  });
}

export function drawCrashes(): void {
  if (told.size === 0) return;
  const next = new Map(activity.value);
  for (const [runId, { more, fresh }] of told) {
    const curve = [...(next.get(runId) ?? (fresh ? new Array<number>(HOURS).fill(0) : []))];
    const last = curve.length - 1;
    if (last < 0) continue;
    curve[last] = (curve[last] ?? 0) + more;
    next.set(runId, curve);
  }
  told.clear();
  activity.value = next;
}
