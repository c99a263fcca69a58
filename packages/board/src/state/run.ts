import { ApiError, nullIfNotFound } from '@culprit/client';
import type { HistoryEntry, PlacedStack, Run } from '@culprit/core';
import { trustMix } from '@culprit/core/internal/domain/source';
import { batch, computed, signal } from '@preact/signals';
import { api } from '../api.js';
import { onRun, seen } from './feed.js';
import { goToRun, showsItself } from './route.js';
import { announcement, myName, notice, report } from './session.js';

/** Everything that a run's page shows. */
export interface Detail {
  readonly run: Run;
  readonly history: readonly HistoryEntry[];
  readonly stack: PlacedStack | null;
}

/** The version on the screen. */
export const shown = signal<Detail | null>(null);
/** A newer version made by another reviewer; `null` if the screen is up to date. */
export const newer = signal<Detail | null>(null);
export const missing = signal(false);
/** Labels of pending decisions by run. A decision on one run does not delay another. */
const decisions = signal<ReadonlyMap<string, string>>(new Map());
/** The label of a pending decision on the run that is shown; `null` if there is none. */
export const deciding = computed<string | null>(
  () => decisions.value.get(shown.value?.run.run_id ?? '') ?? null,
);
let settled = true;
/** False for a second after the page shows another run, state or draft: a key that was meant for what stood there must not decide. */
export const isSettled = () => settled;
const SETTLES_MS = 1_000;
let settling = 0;
const face = computed(() => {
  const { run_id, state, draft } = shown.value?.run ?? {};
  return JSON.stringify([run_id, state, draft?.digest]);
});
face.subscribe(() => {
  settle(false);
  window.clearTimeout(settling);
  settling = window.setTimeout(() => settle(true), SETTLES_MS);
});
function settle(now: boolean): void {
  settled = now;
  document.documentElement.toggleAttribute('data-settled', now);
}
/** While the draft is being edited, the page must not replace it. */
export const editing = signal(false);

let wanted: string | null = null;
/** True while the screen shows the run of the address, and not the previous one, which stays until the new one has loaded. */
export function isOpen(runId: string): boolean {
  return wanted === runId;
}
let turns = 0;
/** The latest reading. It overtakes those before it, which show nothing. */
let latest: Promise<void> = Promise.resolve();
/** The reader requested an update that a later request has overtaken. */
let updateRequested = false;
let timer = 0;

/** The merged run whose address led to another one; `null` if none did. */
export const redirected = signal<{
  readonly from: string;
  readonly title: string;
  readonly to: string;
} | null>(null);

/** Opens a run; the old one stays on the screen until the new one has loaded. */
export function open(runId: string | null): void {
  if (wanted === runId) return;
  wanted = runId;
  if (redirected.value?.to !== runId) redirected.value = null;
  // A late reading of the previous run would overtake that of this one.
  window.clearTimeout(timer);
  updateRequested = false;
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

/** Shows the newer version. */
export function catchUp(): void {
  if (newer.value === null) return;
  shown.value = newer.value;
  newer.value = null;
}

async function fetchDetail(runId: string): Promise<Detail> {
  const [run, { entries: history }] = await Promise.all([
    api.getRun({ run_id: runId }),
    api.getHistory({ run_id: runId }),
  ]);
  return {
    run,
    history,
    stack: run.revision === null ? null : await api.getStack({ run_id: runId }).catch(nullIfNotFound),
  };
}

/** Ends once the page shows the run, also if a later reading shows it. `mine`: the reader requested it, so it may replace what is shown. */
function read(runId: string, mine: boolean): Promise<void> {
  updateRequested ||= mine;
  latest = readInTurn(runId, ++turns);
  return latest;
}

async function readInTurn(runId: string, turn: number): Promise<void> {
  try {
    const detail = await fetchDetail(runId);
    if (wanted !== runId) return;
    if (turn !== turns) return latest;
    const asked = updateRequested;
    updateRequested = false;
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
  if (!same && followMerge(detail.run)) return;
  if (same && !mine && interrupts(old.run, detail.run)) {
    newer.value = detail;
    announcement.value = foundCause(old.run, detail.run)
      ? 'The investigation has found a cause. A new draft is ready.'
      : 'Another reviewer changed this run.';
    return;
  }
  batch(() => {
    shown.value = detail;
    newer.value = null;
  });
  if (same && old.run.state !== detail.run.state)
    announcement.value = `The run is now: ${words(detail.run)}.`;
  if (same) announceClaim(old.run, detail.run);
  if (same && isBeingInvestigated(old.run) && !isBeingInvestigated(detail.run))
    announcement.value = 'The investigation has ended.';
}

/** The address of a merged run leads to the run that counts its crashes. */
function followMerge({ run_id, title, state, merged_into: to }: Run): boolean {
  if (state !== 'merged' || !to || showsItself(run_id)) return false;
  const { from, title: first } = redirected.value ?? { from: run_id, title };
  redirected.value = { from, title: first, to };
  goToRun({ run_id: to });
  return true;
}

/** For screen readers: another reviewer has claimed the run on the screen. */
function announceClaim(old: Run, now: Run): void {
  const by = now.claim?.by;
  if (by === undefined || by === old.claim?.by || by === myName()) return;
  announcement.value = `${by} has claimed this run.`;
}

/** Steps of the engine update the page; changes by other reviewers only raise a notice. */
function interrupts(old: Run, now: Run): boolean {
  if (editing.value) return old.state !== now.state || old.draft?.digest !== now.draft?.digest;
  if (old.version === now.version) return false;
  const machine = old.state === 'analyzing' || old.state === 'publishing' || old.state === 'snoozed';
  return !machine && (old.state !== now.state || old.draft?.digest !== now.draft?.digest);
}

const isBeingInvestigated = ({ investigation }: Run) => investigation?.state === 'running';

/** The draft has been derived again, by an investigation that has ended. */
export function foundCause(old: Run, now: Run): boolean {
  return old.investigation?.state !== 'used' && now.investigation?.state === 'used';
}

function words({ state }: Run): string {
  return state.replace('_', ' ');
}

/** Counts change in place; anything else reloads the run, once per burst. */
onRun((run) => {
  if (run.run_id !== wanted) return;
  const detail = shown.value;
  const same = detail?.run.run_id === run.run_id && detail.run.version === run.version;
  // The first trusted crash replaces the event that is shown.
  if (detail !== null && same && trustMix(detail.run).kind === trustMix(run).kind) {
    const { occurrences, users, first_seen, last_seen, releases, environments, doors, sources, updated_at } =
      run;
    const counts = { occurrences, users, first_seen, last_seen, releases, environments };
    shown.value = { ...detail, run: { ...detail.run, ...counts, doors, sources, updated_at } };
    return;
  }
  if (deciding.value !== null && run.state !== 'analyzing' && run.state !== 'publishing') return;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void read(run.run_id, deciding.value !== null), 60);
});

/** Sends one decision at a time for each run, then reloads the run, also after an error, when the result is unknown. */
export async function decide(runId: string, name: string, work: () => Promise<unknown>): Promise<boolean> {
  if (decisions.value.has(runId)) return false;
  notice.value = null;
  try {
    await hold(runId, name, work);
    return true;
  } catch (error) {
    report(error);
    return false;
  }
}

/** Like `decide`, but rejects with the error. */
export async function hold(runId: string, name: string, work: () => Promise<unknown>): Promise<void> {
  if (decisions.value.has(runId)) throw new Error('Another decision on this run is being sent.');
  decisions.value = new Map(decisions.value).set(runId, name);
  try {
    await work();
  } finally {
    // Until the page shows what came of it, a second decision would be about what stands there no more.
    if (wanted === runId) await read(runId, true);
    const others = new Map(decisions.value);
    others.delete(runId);
    decisions.value = others;
  }
}
