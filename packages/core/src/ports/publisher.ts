/** The issue exactly as it is to be stored: body with its trailer. */
export interface IssueToPublish {
  readonly repository: string;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  /** Stands in the body; unique to this run's publication. */
  readonly marker: string;
}
/** An issue as the code host currently shows it. */
export interface PublishedIssue {
  readonly number: number;
  readonly url: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly state: 'open' | 'closed';
  /** As the host holds it now, to be compared with what was signed. */
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
}

/**
 * Makes one issue. The engine decides when; a publisher only lists and creates. Law:
 * - `find` looks only at issues written by the publisher's own identity since the given time.
 * - `create` does one attempt, never a retry. It rejects with `publish_refused` only if the answer proves that nothing
 *   was created, with `publish_wait` (and `retryAfterMs`) if the host asks to wait and nothing was created, and with
 *   `publish_ambiguous` for everything else: time-out, reset, 5xx.
 */
export interface Publisher {
  /** True: `find` sees an issue as soon as it exists. Absent or false: listings may lag by minutes. */
  readonly listsAtOnce?: boolean;
  find(
    repository: string,
    marker: string,
    since: string,
    signal: AbortSignal,
  ): Promise<PublishedIssue | null>;
  create(issue: IssueToPublish, signal: AbortSignal): Promise<PublishedIssue>;
  /** The issue as it stands, `null` if it is gone. */
  read(repository: string, number: number, signal: AbortSignal): Promise<PublishedIssue | null>;
}
