import type { Event, OccurrenceEntry, Run, RunStatistics } from '@culprit/core';
import { signal } from '@preact/signals';
import { api } from '../api.js';
import { goToOccurrence } from './route.js';
import { report } from './session.js';

/** What is known of the occurrences of the run that is shown. */
export interface Occurrences {
  readonly runId: string;
  readonly statistics: RunStatistics;
  /** Latest first. */
  readonly entries: readonly OccurrenceEntry[];
  readonly next: string | null;
  /** Numbers of the occurrences whose event is stored, latest first. */
  readonly events: readonly number[];
}
/** The event of an occurrence that the reader has opened. */
export interface ViewedEvent {
  readonly runId: string;
  readonly entry: OccurrenceEntry;
  readonly event: Event;
}

export const occurrences = signal<Occurrences | null>(null);
/** `null`: the event that the run shows. */
export const viewed = signal<ViewedEvent | null>(null);
/** The occurrence whose event is being loaded. */
export const opening = signal<number | null>(null);

const PAGE = 25;
/** New crashes of an open run are listed at most this often. */
const FRESH_MS = 5_000;
let timer = 0;
let latest = '';

/** Loads the occurrences of a run: at once when it is opened, later with a pause. */
export function wantOccurrences({ run_id }: Pick<Run, 'run_id'>): void {
  const known = occurrences.value?.runId === run_id;
  latest = run_id;
  if (!known) {
    occurrences.value = null;
    viewed.value = null;
    void load(run_id);
  } else if (timer === 0) {
    timer = window.setTimeout(() => {
      timer = 0;
      void load(latest);
    }, FRESH_MS);
  }
}

async function load(runId: string): Promise<void> {
  try {
    const [page, statistics] = await Promise.all([
      api.listOccurrences({ run_id: runId, limit: PAGE }),
      api.getStatistics({ run_id: runId }),
    ]);
    if (latest !== runId) return;
    const { occurrences: entries, events, next } = page;
    const old = occurrences.value?.runId === runId ? occurrences.value : null;
    // What the reader has already listed stays.
    const oldest = entries.at(-1)?.number ?? 0;
    const earlier = old?.entries.filter(({ number }) => number < oldest) ?? [];
    occurrences.value = {
      runId,
      statistics,
      entries: [...entries, ...earlier],
      events,
      next: earlier.length > 0 ? (old?.next ?? null) : next,
    };
  } catch (error) {
    if (latest === runId) report(error);
  }
}

/** Lists older occurrences. */
export async function loadMore(): Promise<void> {
  const known = occurrences.value;
  if (known === null || known.next === null) return;
  try {
    const page = await api.listOccurrences({ run_id: known.runId, limit: PAGE, cursor: known.next });
    const now = occurrences.value;
    if (now?.runId !== known.runId || now.next !== known.next) return;
    occurrences.value = { ...now, entries: [...now.entries, ...page.occurrences], next: page.next };
  } catch (error) {
    report(error);
  }
}

/** Shows the event of the occurrence that the address names in place of the latest one; `null`: the latest one. */
export function viewEvent(run: Pick<Run, 'run_id'>, number: number | null): void {
  const now = viewed.value;
  opening.value = number;
  if (number === null) viewed.value = null;
  else if (now?.runId === run.run_id && now.entry.number === number) opening.value = null;
  else void loadEvent(run, number);
}

async function loadEvent(run: Pick<Run, 'run_id'>, number: number): Promise<void> {
  const runId = run.run_id;
  const asked = () => opening.value === number && latest === runId;
  try {
    const { occurrence, event } = await api.getOccurrence({ run_id: runId, number });
    if (asked()) viewed.value = { runId, entry: occurrence, event };
  } catch (error) {
    if (!asked()) return;
    report(error);
    // Its event is not stored any more, or never was.
    goToOccurrence(run, viewed.value?.runId === runId ? viewed.value.entry.number : null);
  } finally {
    if (asked()) opening.value = null;
  }
}
