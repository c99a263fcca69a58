import type { HistoryEntry, PlacedStack, Run } from '@culprit/core';
import { batch, computed, signal } from '@preact/signals';
import { ApiError } from '../../client/api-error.js';
import { api } from '../api.js';
import { onRun, seen } from './feed.js';
import { announcement, notice, report } from './session.js';

/** One run with all that its page shows. */
export interface Detail {
  readonly run: Run;
  readonly history: readonly HistoryEntry[];
  readonly stack: PlacedStack | null;
}

/** What is on the screen. */
export const shown = signal<Detail | null>(null);
/** What core says by now, where somebody else changed what is on the screen; `null`: the screen is up to date. */
export const newer = signal<Detail | null>(null);
export const missing = signal(false);
/** A decision is under way: its name, in words. */
export const deciding = signal<string | null>(null);
/** A draft is being edited: nothing of it may be replaced. */
export const editing = signal(false);

let wanted: string | null = null;
let reading = 0;
/** A reading that the reader asked for is owed, even where a later one has overtaken it. */
let owed = false;
let timer = 0;

/** Chooses a run; the old one stays on the screen until the new one is there. */
export function open(runId: string | null): void {
  if (wanted === runId) return;
  wanted = runId;
  owed = false;
  batch(() => {
    newer.value = null;
    missing.value = false;
    editing.value = false;
    notice.value = null;
    if (runId === null) shown.value = null;
  });
  if (runId === null) return;
  seen(runId);
  void read(runId, true);
}

/** Shows what core says by now. */
export function catchUp(): void {
  if (newer.value === null) return;
  shown.value = newer.value;
  newer.value = null;
}

async function fetchDetail(runId: string): Promise<Detail> {
  const [run, history] = await Promise.all([api.run(runId), api.history(runId)]);
  return { run, history, stack: run.revision === null ? null : await api.stack(runId) };
}

/** `mine`: the reader asked for it, so it may replace what is shown. */
async function read(runId: string, mine: boolean): Promise<void> {
  const turn = ++reading;
  owed ||= mine;
  try {
    const detail = await fetchDetail(runId);
    if (turn !== reading || wanted !== runId) return;
    const asked = owed;
    owed = false;
    place(detail, asked);
  } catch (error) {
    if (wanted !== runId) return;
    if (error instanceof ApiError && error.status === 404) missing.value = true;
    else report(error);
  }
}

function place(detail: Detail, mine: boolean): void {
  const old = shown.value;
  const same = old !== null && old.run.run_id === detail.run.run_id;
  if (same && !mine && interrupts(old.run, detail.run)) {
    newer.value = detail;
    announcement.value = 'This run was changed by somebody else.';
    return;
  }
  batch(() => {
    shown.value = detail;
    newer.value = null;
  });
  if (same && old.run.state !== detail.run.state)
    announcement.value = `The run is now: ${words(detail.run)}.`;
}

/** What machines do is waited for and shown; what other people do to a text that is being read is only told of. */
function interrupts(old: Run, now: Run): boolean {
  if (editing.value) return old.state !== now.state || old.draft?.digest !== now.draft?.digest;
  if (old.version === now.version) return false;
  const machine = old.state === 'analyzing' || old.state === 'publishing';
  return !machine && (old.state !== now.state || old.draft?.digest !== now.draft?.digest);
}

function words({ state }: Run): string {
  return state.replace('_', ' ');
}

/** Counts move in place and at once; anything more is read from core, once for a burst. */
onRun((run) => {
  if (run.run_id !== wanted) return;
  const detail = shown.value;
  if (detail !== null && detail.run.run_id === run.run_id && detail.run.version === run.version) {
    const { occurrences, last_seen, releases, environments, doors, updated_at } = run;
    shown.value = {
      ...detail,
      run: { ...detail.run, occurrences, last_seen, releases, environments, doors, updated_at },
    };
    return;
  }
  if (deciding.value !== null && run.state !== 'analyzing' && run.state !== 'publishing') return;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void read(run.run_id, deciding.value !== null), 60);
});

/** Does one decision at a time, then reads what became of it: also after an error, when nobody knows. */
export async function decide(name: string, work: (runId: string) => Promise<unknown>): Promise<boolean> {
  if (deciding.value !== null || wanted === null) return false;
  const runId = wanted;
  deciding.value = name;
  notice.value = null;
  let done = true;
  try {
    await work(runId);
  } catch (error) {
    done = false;
    report(error);
  } finally {
    deciding.value = null;
    if (wanted === runId) await read(runId, true);
  }
  return done;
}

/** Who opened Gate 1 in this cycle, for the rule of two people. */
export const opener = computed<string | null>(() => {
  const detail = shown.value;
  const entry = detail?.history.findLast(({ name }) => name === 'gate1.approve');
  return entry?.detail.cycle === detail?.run.cycle ? (entry?.by ?? null) : null;
});
