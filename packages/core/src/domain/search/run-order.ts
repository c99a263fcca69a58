import type { RunSummary } from '../run.js';

/**
 * All orders of a list of runs. `activity` is the latest change or crash, `seen` the latest crash, both latest first; `crashes`
 * and `users` the most first. A run without counted users is in no list by `users`.
 */
export const RUN_ORDERS = ['activity', 'seen', 'crashes', 'users', 'newest', 'oldest'] as const;
/** An order of a list of runs; one of `RUN_ORDERS`. */
export type RunOrder = (typeof RUN_ORDERS)[number];

/** The latest time that a `Date` can hold, in ms. */
const LATEST_MS = 8_640_000_000_000_000;

/** What decides a run's place in an order. */
type Ordered = Pick<RunSummary, 'updated_at' | 'last_seen' | 'first_seen' | 'occurrences' | 'users'>;

/** What a run's place in an order looks like. Places compare as text. */
export const PLACE = /^\d{16}\/[\w-]{1,64}$/;

/** A run's place in an order: 16 digits and the run id. */
export function placeInOrder(run: Ordered & Pick<RunSummary, 'run_id'>, order: RunOrder): string {
  return `${String(numberOf(run, order)).padStart(16, '0')}/${run.run_id}`;
}

/**
 * A run's place in a group of the inbox: the same after pinned runs and regressions, bugs that somebody believed to be fixed. The lists of
 * the store are walked while runs change, so no decision moves a run in them.
 */
export function placeInInbox(run: RunSummary, order: RunOrder): string {
  return `${run.pinned ? 0 : run.regression_of === null ? 2 : 1}${placeInOrder(run, order)}`;
}

function numberOf(run: Ordered, order: RunOrder): number {
  switch (order) {
    case 'activity':
      return LATEST_MS - msOf(run.updated_at);
    case 'seen':
      return LATEST_MS - msOf(run.last_seen);
    case 'crashes':
      return LATEST_MS - run.occurrences;
    case 'users':
      return LATEST_MS - (run.users === undefined ? 0 : run.users.count + Number(run.users.more));
    case 'newest':
      return LATEST_MS - msOf(run.first_seen);
    case 'oldest':
      return msOf(run.first_seen);
  }
}

function msOf(time: string): number {
  return Math.max(0, Date.parse(time) || 0);
}
