/** The issue exactly as it must be created, its body including the trailer. */
export interface IssueToPublish {
  readonly repository: string;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  /** Part of the body; unique to this run's publication. */
  readonly marker: string;
}
/** An issue as the code host currently shows it. */
export interface PublishedIssue {
  readonly number: number;
  readonly url: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly state: 'open' | 'closed';
  /** The current content, to be compared with what was signed. */
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
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
  /** True if `find` returns an issue as soon as it exists. Otherwise listings may lag by minutes. */
  readonly listsAtOnce?: boolean;
  find(
    repository: string,
    marker: string,
    since: string,
    signal: AbortSignal,
  ): Promise<PublishedIssue | null>;
  create(issue: IssueToPublish, signal: AbortSignal): Promise<PublishedIssue>;
  /** The current issue; `null` if it no longer exists. */
  read(repository: string, number: number, signal: AbortSignal): Promise<PublishedIssue | null>;
}
