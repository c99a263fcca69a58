import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { DoubleClock } from './clock.js';
import type { DoubleOptions } from './options.js';

export type StateReason = 'completed' | 'not_planned' | 'duplicate' | 'reopened';

export interface StoredIssue {
  repository: string;
  readonly number: number;
  title: string;
  body: string;
  labels: string[];
  assignees: string[];
  /** Name of its issue type. */
  issueType?: string | null;
  state: 'open' | 'closed';
  stateReason: StateReason | null;
  /** Deleted, or moved to another repository. It keeps its number here. */
  gone?: 'deleted' | { readonly repository: string; readonly number: number };
  readonly user: string;
  readonly createdAt: number;
  updatedAt: number;
  /** When and by whom the text and the title were changed last. */
  edited?: { readonly at: number; readonly by: string };
  renamed?: { readonly at: number; readonly by: string };
  /** Milliseconds since 1970 from which the list contains the issue. */
  readonly listedAt: number;
  readonly pullRequest: boolean;
  /** Only those with push access may comment. */
  locked?: boolean;
  closedBy?: string;
  /** Milliseconds since 1970, while it is closed. */
  closedAt?: number | null;
  /** Of a merged pull request: its commit on the base branch, and the issues that it is linked to. */
  merged?: { readonly commit: string; readonly closes: readonly number[] };
  /** What closed the issue: a pull request's number, or a commit. */
  closer?: number | string;
}

export interface StoredComment {
  /** Of its issue. */
  repository: string;
  number: number;
  readonly id: number;
  body: string;
  readonly user: string;
  readonly createdAt: number;
  /** Milliseconds since 1970 from which the list contains the comment. */
  readonly listedAt: number;
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

/** All writable state. With a file it survives the process, so that clients can be killed around it. */
export class State {
  readonly issues: StoredIssue[] = [];
  readonly comments: StoredComment[] = [];
  readonly labels = new Map<string, Set<string>>();
  /** Called after each change of an issue. */
  changed: (issue: StoredIssue, change: Partial<StoredIssue>) => void = () => {};

  constructor(
    private readonly options: DoubleOptions,
    private readonly clock: DoubleClock,
  ) {
    for (const [name, { labels = [] }] of Object.entries(options.repositories))
      this.labels.set(name, new Set(labels));
    const file = options.persistTo;
    if (file !== undefined && existsSync(file)) {
      const kept = JSON.parse(readFileSync(file, 'utf8')) as {
        issues: StoredIssue[];
        comments?: StoredComment[];
        labels: [string, string[]][];
      };
      this.issues.push(...kept.issues);
      this.comments.push(...(kept.comments ?? []));
      for (const [name, labels] of kept.labels) this.labels.set(name, new Set(labels));
    }
  }

  now(): number {
    return this.clock.now();
  }

  of(repository: string): readonly StoredIssue[] {
    const name = repository.toLowerCase();
    return this.issues.filter((issue) => issue.repository.toLowerCase() === name);
  }

  add(issue: NewIssue): StoredIssue {
    const stored = this.store(issue, this.of(issue.repository).length + 1, this.lagMs(issue.repository));
    this.keep();
    return stored;
  }

  comment({ repository, number }: StoredIssue, body: string, user: string): StoredComment {
    const createdAt = this.now();
    const listedAt = createdAt + this.lagMs(repository);
    const id = 5_000_000 + this.comments.length;
    const stored: StoredComment = { repository, number, id, body, user, createdAt, listedAt };
    this.comments.push(stored);
    this.change(repository, number, {});
    return stored;
  }

  commentsOf({ repository, number }: StoredIssue): readonly StoredComment[] {
    return this.comments.filter((one) => one.repository === repository && one.number === number);
  }

  private lagMs(repository: string): number {
    return this.options.repositories[repository]?.listingLagMs ?? this.options.listingLagMs ?? 0;
  }

  /** Issues of one repository, which are listed at once. */
  addAll(issues: readonly NewIssue[]): void {
    let number = this.of(issues[0]?.repository ?? '').length;
    for (const issue of issues) this.store(issue, ++number, 0);
    this.keep();
  }

  private store(issue: NewIssue, number: number, lagMs: number): StoredIssue {
    const now = this.now();
    const stored: StoredIssue = {
      ...issue,
      number,
      state: 'open',
      stateReason: null,
      createdAt: now,
      updatedAt: now,
      listedAt: now + lagMs,
      pullRequest: issue.pullRequest ?? false,
    };
    this.issues.push(stored);
    return stored;
  }

  change(repository: string, number: number, change: Partial<StoredIssue>): void {
    const found = this.of(repository).find((issue) => issue.number === number);
    const closes = change.state === 'closed' && found?.state === 'open';
    const closedAt = closes ? { closedAt: this.now() } : {};
    if (found) Object.assign(found, change, { updatedAt: this.now(), ...closedAt });
    this.keep();
    if (found) this.changed(found, change);
  }

  /** A pull request is merged and closes the issues that it is linked to. */
  merge({ repository, title, body, commit, closes, closing = true }: Merge): StoredIssue {
    const content = { repository, title, body, labels: [], assignees: [], user: 'dev' };
    const pull = this.add({ ...content, pullRequest: true });
    this.change(repository, pull.number, { state: 'closed', merged: { commit, closes } });
    for (const number of closing ? closes : [])
      this.change(repository, number, { state: 'closed', stateReason: 'completed', closer: pull.number });
    return pull;
  }

  transfer(repository: string, number: number, to: string): void {
    const moved = this.of(repository).find((issue) => issue.number === number);
    if (!moved) return;
    const copy = this.add({ ...moved, repository: to });
    for (const comment of this.commentsOf(moved)) {
      comment.repository = to;
      comment.number = copy.number;
    }
    this.change(repository, number, { gone: { repository: to, number: copy.number } });
  }

  /** The contents of a renamed repository move with it. */
  rename(from: string, to: string): void {
    for (const one of [...this.issues, ...this.comments]) if (one.repository === from) one.repository = to;
    this.labels.set(to, this.labelsOf(from));
    this.keep();
  }

  labelsOf(repository: string): Set<string> {
    const known = this.labels.get(repository) ?? new Set<string>();
    this.labels.set(repository, known);
    return known;
  }

  keep(): void {
    const file = this.options.persistTo;
    if (file === undefined) return;
    const labels = [...this.labels].map(([name, set]) => [name, [...set]]);
    writeFileSync(`${file}.new`, JSON.stringify({ issues: this.issues, comments: this.comments, labels }));
    renameSync(`${file}.new`, file);
  }
}
