import type { HistoryEntry, RunState } from '@culprit/core';
import type { Digest } from '../schema/digest.js';
import type { ChangedRun, Period } from './digest.js';

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

export function figuresOf(runs: readonly ChangedRun[], { since, until }: Period): Figures {
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
