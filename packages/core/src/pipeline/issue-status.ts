import type { Fix } from '../domain/fix.js';
import type { ClosedAs, PublishedIssue } from '../ports/publisher.js';

/**
 * What became of an issue. `deleted` includes a transfer out of sight. A crash recurs after `completed` or `deleted`: that is a
 * regression, or nobody would hear of it. `not_planned` and `duplicate` are decisions to hear no more of it; if they are about
 * untrusted crashes only, they hold for such crashes only.
 */
export type IssueStatus = 'open' | ClosedAs | 'deleted';
/** Prefix of the history entries that name a status. */
export const RECORDED = 'issue.';
export const CLOSED: readonly IssueStatus[] = ['completed', 'deleted'];
export const DISMISSED: readonly IssueStatus[] = ['not_planned', 'duplicate'];

export interface IssueState {
  readonly state: IssueStatus;
  readonly fix?: Fix | null;
  readonly at: number;
  /** How many times it had been read. */
  readonly reads: number;
}

/** As stored; version 0.1.0 stored `closed`. */
interface StoredState extends Partial<Pick<IssueState, 'state' | 'reads' | 'fix'>> {
  readonly closed?: boolean;
  readonly at: number;
}

export function readStored(text: string): IssueState {
  const { state, closed, fix = null, at, reads = 1 } = JSON.parse(text) as StoredState;
  return { state: state ?? (closed === true ? 'completed' : 'open'), fix, at, reads };
}

export function statusOf(issue: PublishedIssue | null): IssueStatus {
  if (issue === null) return 'deleted';
  return issue.state === 'open' ? 'open' : (issue.closed_as ?? 'completed');
}

/** The key under which the state of a run's issue is stored. */
export function valueKey(runId: string): string {
  return `issue-state:${runId}`;
}
