import type { Fix } from '../domain/fix.js';
import type { Resolution } from '../domain/resolution.js';
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

/** What a closed issue makes of its run. */
export const CLOSED_AS = {
  completed: 'fixed',
  not_planned: 'not_planned',
  duplicate: 'duplicate',
} as const satisfies Record<ClosedAs, Resolution['as']>;

export function isClosedAs(status: string): status is ClosedAs {
  return Object.hasOwn(CLOSED_AS, status);
}

export interface IssueState extends IssueAnswer {
  readonly at: number;
  /** How many times it had been read. */
  readonly reads: number;
}

/** What an issue, or a reviewer's decision about its run, says about the next crash. */
export interface IssueAnswer {
  readonly state: IssueStatus;
  readonly fix?: Fix | null;
  /** Releases whose crashes are only counted. */
  readonly not_in?: readonly string[];
  /** When a reviewer marked the run as fixed. Absent or `null`: nobody did. */
  readonly resolved?: string | null;
}
export const OPEN: IssueAnswer = { state: 'open', fix: null };

/** As stored; version 0.1.0 stored `closed`. */
interface StoredState extends Partial<Omit<IssueState, 'at'>> {
  readonly closed?: boolean;
  readonly at: number;
}

export function readStored(text: string): IssueState {
  const { state, closed, fix = null, at, reads = 1, ...rest } = JSON.parse(text) as StoredState;
  return { ...rest, state: state ?? (closed === true ? 'completed' : 'open'), fix, at, reads };
}

export function statusOf(issue: PublishedIssue | null): IssueStatus {
  if (issue === null) return 'deleted';
  return issue.state === 'open' ? 'open' : (issue.closed_as ?? 'completed');
}

/** The key under which the state of a run's issue is stored. */
export function valueKey(runId: string): string {
  return `issue-state:${runId}`;
}
