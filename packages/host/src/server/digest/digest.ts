import {
  type Engine,
  type HistoryEntry,
  isCulpritError,
  type RunQuery,
  type RunSummary,
} from '@culprit/core';
import { WAITING_STATES } from '@culprit/core/internal/domain/run';
import { inBatches } from '@culprit/core/internal/resilience/batches';
import type { Digest } from '../schema/digest.js';
import { figuresOf } from './figures.js';

/** Runs whose histories one digest reads, and waiting runs that it counts. */
const MOST_RUNS = 5_000;
const PAGE = 200;
/** Histories read at once. */
const AT_ONCE = 32;
const OLDEST = 5;

/** A run that has changed in the period, with its whole history. */
export interface ChangedRun {
  readonly run: RunSummary;
  readonly history: readonly HistoryEntry[];
}

/** A period; both ends are ISO 8601 in UTC with milliseconds, so they compare as text. */
export interface Period {
  readonly since: string;
  readonly until: string;
}

type Reads = Pick<Engine, 'runs' | 'history'>;

/** What happened in a period, from the histories of the runs that have changed since it began. */
export async function digestOf(
  engine: Reads,
  period: Period,
  now: string,
  most = MOST_RUNS,
): Promise<Digest> {
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
