import type { RunActivity } from '@culprit/client';
import type { RunSummary } from '@culprit/core';
import { signal } from '@preact/signals';
import { api } from '../api.js';

const activity = signal<ReadonlyMap<string, RunActivity>>(new Map());

const MAX = 100;
const FRESH_MS = 5 * 60_000;
const asked = new Map<string, number>();
let wanted = new Set<string>();
let timer = 0;

/** Requests the activity of visible runs, batched and at most once in five minutes each. */
export function wantActivity(runIds: readonly string[]): void {
  const now = Date.now();
  for (const id of runIds) if ((asked.get(id) ?? 0) + FRESH_MS < now) wanted.add(id);
  if (wanted.size > 0 && timer === 0) timer = window.setTimeout(ask, 120);
}

async function ask(): Promise<void> {
  const ids = [...wanted].slice(0, MAX);
  wanted = new Set([...wanted].slice(MAX));
  for (const id of ids) asked.set(id, Date.now());
  try {
    const runs = (await api.getActivity({ runs: ids.join(',') })).runs;
    activity.value = new Map([...activity.value, ...Object.entries(runs)]);
  } catch {
    // The charts are optional; the counts remain.
  }
  timer = wanted.size > 0 ? window.setTimeout(ask, 120) : 0;
}

/** Hourly crashes of a run, with those of the live feed added to the current hour; `null` if unknown. */
export function curveOf({
  run_id,
  occurrences,
}: Pick<RunSummary, 'run_id' | 'occurrences'>): readonly number[] | null {
  const curve = activity.value.get(run_id);
  if (curve === undefined) return null;
  const { total, hours } = curve;
  return hours.map((count, at) =>
    at === hours.length - 1 ? count + Math.max(0, occurrences - total) : count,
  );
}
