import type { DoubleClock } from '../shared/clock.js';
import { type BaseIssue, BaseState, keptIn } from '../shared/state.js';
import type { DoubleOptions } from './options.js';

export type { StoredComment } from '../shared/state.js';
export type StateReason = 'completed' | 'not_planned' | 'duplicate' | 'reopened';

export interface StoredIssue extends BaseIssue {
  /** Name of its issue type. */
  issueType?: string | null;
  stateReason: StateReason | null;
  /** When and by whom the text and the title were changed last. */
  edited?: { readonly at: number; readonly by: string };
  renamed?: { readonly at: number; readonly by: string };
  readonly pullRequest: boolean;
  closedBy?: string;
  /** Of a merged pull request: its commit on the base branch, and the issues that it is linked to. */
  merged?: { readonly commit: string; readonly closes: readonly number[] };
  /** What closed the issue: a pull request's number, or a commit. */
  closer?: number | string;
}

export interface Merge {
  readonly repository: string;
  readonly title: string;
  readonly body: string;
  readonly commit: string;
  /** Issues of the same repository. */
  readonly closes: readonly number[];
  /** False: the base is not the default branch, so nothing is closed. */
  readonly closing?: boolean;
}

type NewIssue = Pick<StoredIssue, 'repository' | 'title' | 'body' | 'labels' | 'assignees' | 'user'> & {
  readonly pullRequest?: boolean;
  readonly issueType?: string | null;
};

export class State extends BaseState<StoredIssue, NewIssue> {
  readonly labels: Map<string, Set<string>>;
  protected override readonly firstComment = 5_000_000;

  constructor(options: DoubleOptions, clock: DoubleClock) {
    super(options, clock);
    const given = Object.entries(options.repositories).map(
      ([name, { labels = [] }]) => [name, labels] as const,
    );
    const kept = keptIn<{ readonly labels: [string, string[]][] }>(options)?.labels ?? [];
    this.labels = new Map([...given, ...kept].map(([name, labels]) => [name, new Set(labels)]));
  }

  protected made(issue: NewIssue) {
    return { ...issue, state: 'open' as const, stateReason: null, pullRequest: issue.pullRequest ?? false };
  }

  /** A pull request is merged and closes the issues that it is linked to. */
  merge({ repository, title, body, commit, closes, closing = true }: Merge): StoredIssue {
    const content = { repository, title, body, labels: [], assignees: [], user: 'dev' };
    const pull = this.add({ ...content, pullRequest: true });
    this.change(pull, { state: 'closed', merged: { commit, closes } });
    for (const number of closing ? closes : []) {
      const issue = this.issue(repository, number);
      if (issue) this.change(issue, { state: 'closed', stateReason: 'completed', closer: pull.number });
    }
    return pull;
  }

  transfer(repository: string, number: number, to: string): void {
    const moved = this.issue(repository, number);
    if (moved === null) return;
    const copy = this.add({ ...moved, repository: to });
    for (const comment of this.commentsOf(moved)) {
      comment.repository = to;
      comment.number = copy.number;
    }
    this.change(moved, { gone: { repository: to, number: copy.number } });
  }

  override rename(from: string, to: string): void {
    this.labels.set(to, this.labelsOf(from));
    super.rename(from, to);
  }

  labelsOf(repository: string): Set<string> {
    const known = this.labels.get(repository) ?? new Set<string>();
    this.labels.set(repository, known);
    return known;
  }

  protected override kept(): object {
    return { labels: [...this.labels].map(([name, labels]) => [name, [...labels]]) };
  }
}
