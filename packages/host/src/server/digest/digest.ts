import {
  type Engine,
  type HistoryEntry,
  isCulpritError,
  type RunQuery,
  type RunState,
  type RunSummary,
} from '@culprit/core';
import { WAITING_STATES } from '@culprit/core/internal/domain/run';
import { inBatches } from '@culprit/core/internal/resilience/batches';
import type { Digest } from '../schema/digest.js';

/** Runs whose histories one digest reads, and waiting runs that it counts. */
const MAX_RUNS = 5_000;
const PAGE = 200;
/** Histories read at once. */
const AT_ONCE = 32;
const OLDEST = 5;

/** A run that has changed in the period, with its whole history. */
interface ChangedRun {
  readonly run: RunSummary;
  readonly history: readonly HistoryEntry[];
}

/** A period; both ends are ISO 8601 in UTC with milliseconds, so they compare as text. */
interface Period {
  readonly since: string;
  readonly until: string;
}

type Reads = Pick<Engine, 'runs' | 'history'>;

/** What happened in a period, from the histories of the runs that have changed since it began. */
export async function digestOf(engine: Reads, period: Period, now: string, most = MAX_RUNS): Promise<Digest> {
  const waiting = await readRuns(engine, { states: WAITING_STATES }, most);
  // Every change of a state or a draft raises `updated_at`, by which the pages are ordered.
  const recent = await readRuns(engine, {}, most, (run) => run.updated_at >= period.since);
  const changed = await inBatches(recent.runs, AT_ONCE, (run) => withHistory(engine, run));
  const atGateTwo = waiting.runs.filter(({ state }) => state === 'staged_draft').length;
  return {
    ...period,
    waiting: {
      at: now,
      gate1: waiting.runs.length - atGateTwo,
      gate2: atGateTwo,
      oldest: oldestOf(waiting.runs),
    },
    ...figuresOf(
      changed.flatMap((one) => one ?? []),
      period,
    ),
    complete: waiting.complete && recent.complete,
  };
}

/** `null` if retention has removed the run meanwhile. */
async function withHistory({ history }: Reads, run: RunSummary): Promise<ChangedRun | null> {
  try {
    return { run, history: await history(run.run_id) };
  } catch (error) {
    if (isCulpritError(error, 'run_not_found')) return null;
    throw error;
  }
}

/** Reads pages until a run is not wanted any more. A run that moves meanwhile is read once. */
async function readRuns(
  engine: Reads,
  query: Omit<RunQuery, 'limit'>,
  most: number,
  wanted: (run: RunSummary) => boolean = () => true,
): Promise<{ readonly runs: readonly RunSummary[]; readonly complete: boolean }> {
  const found = new Map<string, RunSummary>();
  let cursor: string | null = null;
  do {
    const page = await engine.runs({ ...query, limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    for (const run of page.runs) {
      if (!wanted(run)) return { runs: [...found.values()], complete: true };
      if (found.size >= most) return { runs: [...found.values()], complete: false };
      found.set(run.run_id, run);
    }
    cursor = page.next;
  } while (cursor !== null);
  return { runs: [...found.values()], complete: true };
}

function oldestOf(runs: readonly RunSummary[]): Digest['waiting']['oldest'] {
  return [...runs]
    .sort((a, b) => (a.first_seen < b.first_seen ? -1 : 1))
    .slice(0, OLDEST)
    .map(({ run_id, project, title, state, first_seen }) => ({ run_id, project, title, state, first_seen }));
}

/** Runs listed of each kind. */
const LISTED = 100;

type Figures = Pick<
  Digest,
  'gates' | 'reviewers' | 'new_runs' | 'failed_analyses' | 'published' | 'rejected' | 'regressions'
>;

/** One entry of the period, with its run. */
interface Found {
  readonly changed: ChangedRun;
  readonly entry: HistoryEntry;
}

function figuresOf(runs: readonly ChangedRun[], { since, until }: Period): Figures {
  const found: readonly Found[] = runs.flatMap((changed) =>
    changed.history.filter(({ at }) => at >= since && at < until).map((entry) => ({ changed, entry })),
  );
  const named = (...names: readonly string[]) => found.filter(({ entry }) => names.includes(entry.name));
  const staged = named('staged');
  return {
    gates: { gate1: gateOf(found, 'staged_raw'), gate2: gateOf(found, 'staged_draft') },
    reviewers: reviewersOf(found),
    new_runs: staged.length,
    failed_analyses: named('analysis.failed').length,
    published: listOf(
      found.flatMap(({ changed: { run }, entry: { at, from, to } }) =>
        to !== 'published' || from === to || run.publication === null
          ? []
          : [
              {
                ...nameOf(run),
                at,
                number: run.publication.number,
                issue_url: run.publication.issue_url,
                reopened: run.publication.comment_url !== undefined,
              },
            ],
      ),
    ),
    rejected: listOf(
      named('gate1.reject', 'gate2.reject')
        // Undone since.
        .filter(({ changed: { history }, entry: { sequence } }) => !isUndone(history, sequence))
        .map(({ changed: { run }, entry: { at, by, detail } }) => ({
          ...nameOf(run),
          at,
          by,
          reason: typeof detail.reason === 'string' ? detail.reason : null,
        })),
    ),
    regressions: listOf(
      staged.flatMap(({ changed: { run }, entry: { at } }) =>
        run.regression_of === null
          ? []
          : [{ ...nameOf(run), at, state: run.state, regression_of: run.regression_of }],
      ),
    ),
  };
}

function nameOf({ run_id, project, title }: ChangedRun['run']) {
  return { run_id, project, title };
}

function listOf<Entry extends { readonly at: string }>(entries: readonly Entry[]) {
  const latest = [...entries].sort((a, b) => (a.at > b.at ? -1 : 1));
  return { count: entries.length, runs: latest.slice(0, LISTED) };
}

function isUndone(history: readonly HistoryEntry[], sequence: number): boolean {
  return history.some((entry) => entry.sequence > sequence && entry.name.endsWith('.reopen'));
}

/** The decisions that ended a wait at the gate whose runs have this state. */
function gateOf(found: readonly Found[], state: RunState): Digest['gates']['gate1'] {
  const waits = found.flatMap(({ changed, entry }) => {
    if (entry.kind !== 'decision' || entry.from !== state || entry.to === state) return [];
    // Not a decision at the gate: the run comes back to it.
    if (entry.to === 'snoozed') return [];
    const arrived = changed.history.findLast(
      ({ sequence, from, to }) => sequence < entry.sequence && to === state && from !== state,
    );
    return arrived === undefined ? [] : [Math.max(0, Date.parse(entry.at) - Date.parse(arrived.at))];
  });
  return { decisions: waits.length, median_wait_ms: medianOf(waits) };
}

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.floor(sorted.length / 2)];
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2);
}

function reviewersOf(found: readonly Found[]): Digest['reviewers'] {
  const counts = new Map<string, Record<string, number>>();
  for (const { entry } of found) {
    // Claims and comments decide nothing.
    if (entry.kind !== 'decision' || entry.by === null || entry.to === null) continue;
    // A reviewer may have any name, so the counts inherit nothing.
    const own = counts.get(entry.by) ?? (Object.create(null) as Record<string, number>);
    own[entry.name] = (own[entry.name] ?? 0) + 1;
    counts.set(entry.by, own);
  }
  const total = (decisions: Readonly<Record<string, number>>) =>
    Object.values(decisions).reduce((sum, count) => sum + count, 0);
  return [...counts]
    .map(([name, decisions]) => ({ name, decisions: byName(decisions) }))
    .sort((a, b) => total(b.decisions) - total(a.decisions) || (a.name < b.name ? -1 : 1));
}

/** In the order of the names, whatever order the runs have. */
function byName(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
