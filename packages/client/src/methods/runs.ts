import { ApiError } from '../api-error.js';
import type { Call } from '../call.js';
import type { Operations } from '../operations.js';
import { everyEntry } from '../pages.js';

/** Filters, order and page of a list of runs. `state`: one or more, separated by commas. `q`: a search. */
export type RunsQuery = NonNullable<Operations['listRuns']['query']>;
/** A page of the occurrences of a run. */
export type OccurrencesQuery = NonNullable<Operations['listOccurrences']['query']>;

/** Reads runs and what belongs to them. */
export function runMethods(call: Call) {
  const runs = (query: RunsQuery = {}) => call('listRuns', { query });
  const occurrences = (run_id: string, query: OccurrencesQuery = {}) =>
    call('listOccurrences', { path: { run_id }, query });
  return {
    /** One page of runs. */
    runs,
    /** Every run of a list: `for await (const run of client.allRuns({ q: 'level:fatal' }))`. */
    allRuns: (query: Omit<RunsQuery, 'cursor'> = {}) =>
      everyEntry(
        (cursor) => runs({ ...query, cursor }),
        (page) => page.runs,
      ),
    run: (run_id: string) => call('getRun', { path: { run_id } }),
    /** Every decision and step, oldest first. */
    history: async (run_id: string) => (await call('getHistory', { path: { run_id } })).entries,
    /** The runs of a crash that was published and came back. */
    story: (run_id: string) => call('getStory', { path: { run_id } }),
    /** `null` if the run has no located stack. */
    stack: (run_id: string) => call('getStack', { path: { run_id } }).catch(nullIfNotFound),
    /** The fix brief, as Markdown. */
    brief: (run_id: string) => call('getBrief', { path: { run_id } }),
    evidence: (run_id: string) => call('getEvidence', { path: { run_id } }),
    /** Derives the published issue again and compares it with the code host. */
    verify: (run_id: string) => call('verifyPublication', { path: { run_id } }),
    /** One page of occurrences, latest first. */
    occurrences,
    allOccurrences: (run_id: string) =>
      everyEntry(
        (cursor) => occurrences(run_id, { cursor }),
        (page) => page.occurrences,
      ),
    /** Rejects with 404 if its event is not stored. */
    occurrence: (run_id: string, number: number) => call('getOccurrence', { path: { run_id, number } }),
    statistics: (run_id: string) => call('getStatistics', { path: { run_id } }),
    /** Crashes of each of the last 24 hours, by run. */
    activity: async (ids: readonly string[]) =>
      (await call('getActivity', { query: { runs: ids.join(',') } })).runs,
    /** The values of a qualifier of searches, most frequent first. */
    searchValues: async (query: Operations['listSearchValues']['query']) =>
      (await call('listSearchValues', { query })).values,
    /** What happened from `since` (default: 12 hours before) to `until` (default: now); ISO 8601. */
    digest: (query: NonNullable<Operations['getDigest']['query']> = {}) => call('getDigest', { query }),
  };
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}
