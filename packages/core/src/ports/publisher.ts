import type { ReopenTarget } from '../domain/draft.js';
import type { Fix } from '../domain/fix.js';
import type { Port } from '../domain/port.js';
import type { Systems } from './systems.js';

/** The issue, or the comment, exactly as it must be created, its body including the trailer. */
export interface IssueToPublish {
  readonly repository: string;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  /** Part of the body; unique to this run's publication. */
  readonly marker: string;
  /** The issue that gets the body as a comment. Absent: a new issue. */
  readonly reopens?: ReopenTarget;
}
/** `not_planned`: nobody will fix it. `duplicate`: another issue has the discussion. */
export type ClosedAs = 'completed' | 'not_planned' | 'duplicate';

/** An issue as the code host currently shows it. */
export interface PublishedIssue {
  readonly number: number;
  readonly url: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly state: 'open' | 'closed';
  /** True: the host accepts no comments. */
  readonly locked?: boolean;
  /** Why it is closed, where the host says so. Absent or `null`: unknown, which counts as `completed`. */
  readonly closed_as?: ClosedAs | null;
  /** ISO 8601, where the host says so. */
  readonly closed_at?: string | null;
  /** The current content, to be compared with what was signed. */
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  /** What closed it; absent or `null`: unknown. */
  readonly fix?: Fix | null;
  /** What else the host changed or dropped, beyond the members above, as text. Absent: nothing. */
  readonly divergence?: readonly string[];
}

/** A change of an issue's title or text on the code host. */
export interface IssueEdit {
  /** ISO 8601. */
  readonly at: string;
  /** The account; `null`: it is gone. */
  readonly by: string | null;
}

/** Says who changed issues. Must only read. */
export interface IssueEdits {
  /** The latest change of the title or the text; `null` if there is none. */
  last(repository: string, number: number, signal: AbortSignal): Promise<IssueEdit | null>;
}

/** A comment as the code host currently shows it. */
export interface PublishedComment {
  /** Starts with the address of its issue. */
  readonly url: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly body: string;
}

/**
 * Adds a comment to an issue, and opens or closes it. Must not comment on any other issue. `find` and `comment` follow the rules of the
 * publisher's `find` and `create`. All reject with `reopen_refused` if the issue is gone or locked.
 */
export interface Reopening {
  find(
    repository: string,
    number: number,
    marker: string,
    since: string,
    signal: AbortSignal,
  ): Promise<PublishedComment | null>;
  comment(repository: string, number: number, body: string, signal: AbortSignal): Promise<PublishedComment>;
  /** Has no effect on an open issue, so it is repeated while it rejects with a retryable error. */
  open(repository: string, number: number, signal: AbortSignal): Promise<void>;
  /** Closes it as completed; follows the rules of `open`. Absent: issues are only commented on. */
  close?(repository: string, number: number, signal: AbortSignal): Promise<void>;
}

/** A comment on an issue, by somebody. */
export interface IssueComment {
  readonly url: string;
  /** The account. */
  readonly by: string;
  /** ISO 8601: the last change. */
  readonly at: string;
  readonly body: string;
}

/**
 * Assigns the host's coding agent to an issue. Must have no effect if it is assigned already, so it may be repeated. Rejects with
 * `hand_off_refused` if the host does not assign it or the issue is gone, with a retryable error otherwise.
 */
export interface CodingAgent {
  /** What else it would read: every comment that neither the publisher nor the agent wrote, oldest first. Absent: it reads none. */
  comments?(repository: string, number: number, signal: AbortSignal): Promise<readonly IssueComment[]>;
  assign(repository: string, number: number, signal: AbortSignal): Promise<void>;
}

/**
 * Creates one issue. The engine decides when; a publisher only lists and creates:
 * - `find` looks only at issues written by the publisher's own identity since the given time, and
 *   recognises one by `hasMarker`.
 * - `create` makes one attempt and never retries. It rejects with `publish_refused` only if the response proves that nothing
 *   was created, with `publish_wait` (and `retryAfterMs`) if the host rate limits and nothing was created, and with
 *   `publish_ambiguous` otherwise: timeout, connection reset, 5xx.
 */
export interface Publisher {
  /** Set if this one combines several systems. Absent: it publishes to every repository itself. */
  readonly systems?: Systems<Publisher>;
  /** True if `find` returns an issue as soon as it exists. Otherwise listings may lag by minutes. */
  readonly listsAtOnce?: boolean;
  /**
   * True if the host itself shows, on an issue, the issues of the same host that link it. Otherwise a comment there links a
   * regression.
   */
  readonly crossReferences?: boolean;
  find(
    repository: string,
    marker: string,
    since: string,
    signal: AbortSignal,
  ): Promise<PublishedIssue | null>;
  create(issue: IssueToPublish, signal: AbortSignal): Promise<PublishedIssue>;
  /** Absent: regressions are published as new issues. */
  readonly reopening?: Reopening;
  /** The host's coding agent. Absent: there is none, or it is not configured. */
  readonly agent?: CodingAgent;
  /** Absent: the host does not say who changed an issue. */
  readonly edits?: IssueEdits;
  /** What the host would change or drop of an issue, as text, for the reviewer to see before signing. Absent: nothing. */
  expect?(issue: Omit<IssueToPublish, 'body' | 'marker'>, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * The current issue, also if it was transferred to a repository that the publisher may read. `null` if it was deleted, or
   * transferred out of sight.
   */
  read(repository: string, number: number, signal: AbortSignal): Promise<PublishedIssue | null>;
}
export const Publisher = Symbol('Publisher') as Port<Publisher | null>;
