import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { DoubleClock } from './clock.js';
import type { BaseOptions } from './options.js';

/** What an issue has on every host. */
export interface BaseIssue {
  repository: string;
  readonly number: number;
  title: string;
  body: string;
  labels: string[];
  assignees: string[];
  readonly user: string;
  state: 'open' | 'closed';
  /** Milliseconds since 1970, while it is closed. */
  closedAt?: number | null;
  /** Who may comment is limited. */
  locked?: boolean;
  /** Deleted, or moved to another repository. It keeps its number here. */
  gone?: 'deleted' | { readonly repository: string; readonly number: number };
  readonly createdAt: number;
  updatedAt: number;
  /** Milliseconds since 1970 from which lists contain the issue. */
  readonly listedAt: number;
}

export interface StoredComment {
  /** Of its issue. */
  repository: string;
  number: number;
  readonly id: number;
  readonly body: string;
  readonly user: string;
  readonly createdAt: number;
  /** Milliseconds since 1970 from which lists contain the comment. */
  readonly listedAt: number;
}

/** A new issue, as far as all hosts have it. */
export type BaseNewIssue = Pick<BaseIssue, 'repository' | 'title' | 'body' | 'user'>;

/** All writable state. With a file it survives the process, so that clients can be killed around it. */
export abstract class BaseState<Issue extends BaseIssue, NewIssue extends BaseNewIssue> {
  readonly issues: Issue[] = [];
  readonly comments: StoredComment[] = [];
  /** Called after each change of an issue; `null`: it is new. */
  changed: (issue: Issue, change: Partial<Issue> | null) => void = () => {};
  protected readonly firstComment: number = 1;

  constructor(
    protected readonly options: BaseOptions,
    private readonly clock: DoubleClock,
  ) {
    const kept = keptIn<Pick<this, 'issues' | 'comments'>>(options);
    this.issues.push(...(kept?.issues ?? []));
    this.comments.push(...(kept?.comments ?? []));
  }

  /** What a new issue has beside the times and the number. */
  protected abstract made(issue: NewIssue): Omit<Issue, 'number' | 'createdAt' | 'updatedAt' | 'listedAt'>;

  now(): number {
    return this.clock.now();
  }

  of(repository: string): readonly Issue[] {
    return this.issues.filter((issue) => issue.repository === repository);
  }

  /** Also one that is gone. */
  issue(repository: string, number: number): Issue | null {
    return this.of(repository).find((issue) => issue.number === number) ?? null;
  }

  /** Throws if there is no such issue. */
  known(repository: string, number: number): Issue {
    const found = this.issue(repository, number);
    if (found === null) throw new Error(`${repository} has no issue ${number}`);
    return found;
  }

  add(issue: NewIssue): Issue {
    const { repository } = issue;
    const stored = this.store(issue, this.of(repository).length + 1, this.lagMs(repository));
    this.keep();
    this.changed(stored, null);
    return stored;
  }

  /** Issues of one repository, which are listed at once and send no events. */
  addAll(issues: readonly NewIssue[]): void {
    let number = this.of(issues[0]?.repository ?? '').length;
    for (const issue of issues) this.store(issue, ++number, 0);
    this.keep();
  }

  private store(issue: NewIssue, number: number, lagMs: number): Issue {
    const createdAt = this.now();
    const times = { createdAt, updatedAt: createdAt, listedAt: createdAt + lagMs };
    const stored = { ...this.made(issue), ...times, number } as Issue;
    this.issues.push(stored);
    return stored;
  }

  change(issue: Issue, change: Partial<Issue>): void {
    const { state = issue.state } = change;
    const closedAt = state === issue.state ? issue.closedAt : state === 'closed' ? this.now() : null;
    Object.assign(issue, change, { updatedAt: this.now(), ...(closedAt === undefined ? {} : { closedAt }) });
    this.keep();
    this.changed(issue, change);
  }

  setState(issue: Issue, state: BaseIssue['state']): void {
    if (issue.state !== state) this.change(issue, { state } as Partial<Issue>);
  }

  comment(issue: Issue, body: string, user: string): StoredComment {
    const { repository, number } = issue;
    const createdAt = this.now();
    const times = { createdAt, listedAt: createdAt + this.lagMs(repository) };
    const id = this.firstComment + this.comments.length;
    const stored = { ...{ repository, number, id, body, user }, ...times };
    this.comments.push(stored);
    issue.updatedAt = createdAt;
    this.keep();
    return stored;
  }

  /** Oldest first. */
  commentsOf({ repository, number }: Pick<BaseIssue, 'repository' | 'number'>): readonly StoredComment[] {
    return this.comments.filter((one) => one.repository === repository && one.number === number);
  }

  /** The contents of a renamed repository move with it. */
  rename(from: string, to: string): void {
    for (const one of [...this.issues, ...this.comments]) if (one.repository === from) one.repository = to;
    this.keep();
  }

  /** What else is in the file. */
  protected kept(): object {
    return {};
  }

  keep(): void {
    const file = this.options.persistTo;
    if (file === undefined) return;
    const { issues, comments } = this;
    writeFileSync(`${file}.new`, JSON.stringify({ issues, comments, ...this.kept() }));
    renameSync(`${file}.new`, file);
  }

  private lagMs(repository: string): number {
    return this.options.repositories[repository]?.listingLagMs ?? this.options.listingLagMs ?? 0;
  }
}

/** What tests do to the issues of every host. Each throws if there is no such issue. */
export interface IssueControls<Issue extends BaseIssue, NewIssue> {
  issues(repository: string): readonly Issue[];
  addIssue(issue: NewIssue): Issue;
  closeIssue(repository: string, number: number): void;
  reopenIssue(repository: string, number: number): void;
  deleteIssue(repository: string, number: number): void;
  lockIssue(repository: string, number: number): void;
}

export function issueControls<Issue extends BaseIssue, NewIssue extends BaseNewIssue>(
  state: BaseState<Issue, NewIssue>,
): IssueControls<Issue, NewIssue> {
  const change = (repository: string, number: number, changes: Partial<BaseIssue>) =>
    state.change(state.known(repository, number), changes as Partial<Issue>);
  return {
    issues: (repository) => state.of(repository),
    addIssue: (issue) => state.add(issue),
    closeIssue: (repository, number) => state.setState(state.known(repository, number), 'closed'),
    reopenIssue: (repository, number) => state.setState(state.known(repository, number), 'open'),
    deleteIssue: (repository, number) => change(repository, number, { gone: 'deleted' }),
    lockIssue: (repository, number) => change(repository, number, { locked: true }),
  };
}

/** What an earlier process left in the file, or `null`. */
export function keptIn<Kept>({ persistTo: file }: BaseOptions): Kept | null {
  return file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : null;
}
