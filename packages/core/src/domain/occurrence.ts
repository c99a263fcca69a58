import type { Event } from './event.js';
import type { Fingerprint } from './fingerprint.js';
import type { NewHistoryEntry } from './history.js';
import type { Run, RunRecord } from './run.js';

/** Maximum number of releases and of environments on a run; the latest are retained. */
const REMEMBERED = 20;

/** The result of counting one occurrence: the run to store and the history entries to append. */
export interface Counting {
  readonly record: RunRecord;
  readonly created: boolean;
  readonly history: readonly NewHistoryEntry[];
}

/**
 * Counts one event on the latest run of its fingerprint. Starts a new run if there is none, if the latest was
 * rejected and its quiet time is over, or if it was published and its issue is closed (a regression). `closedIssues` has
 * the ids of runs whose issue is closed. Pure: every store's `record` applies exactly this function.
 */
export function countOccurrence(
  latest: RunRecord | null,
  occurrence: {
    readonly event: Event;
    readonly fingerprint: Fingerprint;
    readonly title: string;
    readonly candidate_run_id: string;
  },
  now: string,
  quietAfterRejectMs: number,
  closedIssues: readonly string[] = [],
): Counting {
  if (latest === null || quietIsOver(latest.run, now, quietAfterRejectMs)) {
    return start(occurrence, latest?.run ?? null, null, now);
  }
  if (latest.run.state === 'published' && closedIssues.includes(latest.run.run_id)) {
    return start(occurrence, latest.run, latest.run.run_id, now);
  }
  const { run } = latest;
  const { event } = occurrence;
  const counted: Run = {
    ...run,
    occurrences: run.occurrences + 1,
    first_seen: event.timestamp < run.first_seen ? event.timestamp : run.first_seen,
    last_seen: event.timestamp > run.last_seen ? event.timestamp : run.last_seen,
    releases: remember(run.releases, event.release),
    environments: remember(run.environments, event.environment),
    doors: remember(run.doors, event.door),
    event,
    updated_at: run.state === 'rejected' || now < run.updated_at ? run.updated_at : now,
  };
  return { record: { ...latest, run: counted }, created: false, history: [] };
}

function quietIsOver(run: Run, now: string, quietMs: number): boolean {
  return run.state === 'rejected' && Date.parse(now) - Date.parse(run.updated_at) >= quietMs;
}

function start(
  occurrence: Parameters<typeof countOccurrence>[1],
  earlier: Run | null,
  regressionOf: string | null,
  now: string,
): Counting {
  const { event, fingerprint, title, candidate_run_id } = occurrence;
  const run: Run = {
    run_id: candidate_run_id,
    project: event.project,
    state: 'staged_raw',
    title,
    fingerprint,
    level: event.level,
    platform: event.platform,
    occurrences: 1,
    first_seen: event.timestamp,
    last_seen: event.timestamp,
    releases: remember([], event.release),
    environments: remember([], event.environment),
    doors: [event.door],
    event,
    revision: null,
    suspects: [],
    no_suspect: null,
    explanation: null,
    draft: null,
    publication: null,
    regression_of: regressionOf,
    last_error: null,
    generation: (earlier?.generation ?? 0) + 1,
    cycle: 1,
    version: 1,
    updated_at: now,
  };
  const staged: NewHistoryEntry = {
    at: now,
    kind: 'step',
    name: 'staged',
    by: null,
    via: 'engine',
    from: null,
    to: 'staged_raw',
    digest: null,
    ms: null,
    error: null,
    detail: {
      event_id: event.event_id,
      door: event.door,
      generation: run.generation,
      ...(regressionOf === null ? {} : { regression_of: regressionOf }),
    },
  };
  return { record: { run, intent: null, lease: null }, created: true, history: [staged] };
}

function remember<T extends string>(known: readonly T[], value: T | null): readonly T[] {
  if (value === null || known.at(-1) === value) return known;
  return [...known.filter((item) => item !== value), value].slice(-REMEMBERED);
}
