import type { OccurrenceRow } from '@culprit/core/internal/domain/occurrence-row';
import { NO_STATISTICS, type StoredStatistics } from '@culprit/core/internal/domain/run-statistics';
import {
  countUsers,
  hasOtherUsers,
  type UserCount,
  usersOfStatistics,
} from '@culprit/core/internal/domain/user-count';
import { CHUNK, EMPTY_LOG, pendingRows, statisticsOf } from './occurrence-log.js';
import type { RunHead } from './run-parts.js';
import type { Transaction } from './writer.js';

type Reads = Pick<Transaction, 'getMany'>;

/** `head` is `before` with these rows in its log. Returns it with their users. Reads the statistics only for users that may be new. */
export async function withUsersOf(
  reads: Reads,
  before: RunHead,
  head: RunHead,
  rows: readonly OccurrenceRow[],
): Promise<RunHead> {
  const known = usersOfHead(before);
  if (known === null || chunksOf(before) !== chunksOf(head)) return withUsers(reads, head);
  const needed = (before.log?.rows ?? 0) >= CHUNK && hasOtherUsers(known, rows);
  const stored = needed
    ? await statisticsOf(reads, before.run.run_id, before.log ?? EMPTY_LOG)
    : NO_STATISTICS;
  return withCount(head, countUsers(known, rows, stored));
}

/** The head with its users counted from the statistics and the rows since. */
export async function withUsers(reads: Reads, head: RunHead): Promise<RunHead> {
  const { run, log = EMPTY_LOG } = head;
  const { statistics, rows } = log.rows === 0 ? NOTHING : await pendingRows(reads, run.run_id, log);
  return withCount(head, countUsers(usersOfStatistics(statistics), rows, statistics));
}

const NOTHING: { readonly statistics: StoredStatistics; readonly rows: readonly OccurrenceRow[] } = {
  statistics: NO_STATISTICS,
  rows: [],
};

function chunksOf({ log }: RunHead): number {
  return Math.floor((log?.rows ?? 0) / CHUNK);
}

/** False if an older version has written the run. */
export function hasCountedUsers(head: RunHead): boolean {
  return head.run.users !== undefined && usersOfHead(head) !== null;
}

/** `null`: unknown, because an older version wrote the head. */
function usersOfHead({ run, log = EMPTY_LOG }: RunHead): UserCount | null {
  if (log.rows === 0) return usersOfStatistics(NO_STATISTICS);
  if (run.users === undefined || log.users?.rows !== log.rows) return null;
  return { users: run.users, ...log.users };
}

function withCount(head: RunHead, { users, trusted, fresh }: UserCount): RunHead {
  const { run, log = EMPTY_LOG } = head;
  return { ...head, run: { ...run, users }, log: { ...log, users: { rows: log.rows, trusted, fresh } } };
}
