import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { DoubleClock } from '../github/index.js';
import type { LiveOptions } from './options.js';

export interface StoredIssue {
  /** Unique on the whole server. */
  readonly id: number;
  /** Path of its project. */
  repository: string;
  /** `iid`: unique in its project. */
  readonly number: number;
  readonly title: string;
  body: string;
  labels: readonly string[];
  readonly assignees: readonly string[];
  readonly user: string;
  readonly confidential: boolean;
  state: 'opened' | 'closed';
  closedAt?: number;
  locked?: boolean;
  duplicateOf?: number;
  /** Moved to the issue with this id, or deleted. */
  gone?: 'deleted' | number;
  readonly createdAt: number;
  /** From when lists contain it. */
  readonly listedAt: number;
}

export interface StoredNote {
  readonly id: number;
  readonly issue: number;
  readonly body: string;
  readonly user: string;
  readonly createdAt: number;
  readonly listedAt: number;
}

export type NewIssue = Pick<StoredIssue, 'repository' | 'title' | 'body' | 'user'> &
  Partial<Pick<StoredIssue, 'labels' | 'assignees' | 'confidential' | 'state'>>;

/** All writable state. With a file it survives the process. */
export class State {
  readonly issues: StoredIssue[] = [];
  readonly notes: StoredNote[] = [];
  /** Called after each change of an issue, with GitLab's name of the action. */
  changed: (issue: StoredIssue, action: 'open' | 'close' | 'reopen' | 'update') => void = () => {};

  constructor(
    private readonly options: LiveOptions,
    readonly clock: DoubleClock,
  ) {
    const file = options.persistTo;
    if (file === undefined || !existsSync(file)) return;
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Pick<State, 'issues' | 'notes'>;
    this.issues.push(...kept.issues);
    this.notes.push(...kept.notes);
  }

  of(repository: string): readonly StoredIssue[] {
    return this.issues.filter((issue) => issue.repository === repository);
  }

  issue(repository: string, number: number): StoredIssue | null {
    return this.of(repository).find((issue) => issue.number === number && issue.gone !== 'deleted') ?? null;
  }

  add(issue: NewIssue): StoredIssue {
    const stored = this.store(issue, this.of(issue.repository).length + 1, this.lagMs(issue.repository));
    this.keep();
    this.changed(stored, 'open');
    return stored;
  }

  /** Issues of one project, which are listed at once. */
  addAll(issues: readonly NewIssue[]): void {
    let number = this.of(issues[0]?.repository ?? '').length;
    for (const issue of issues) this.store(issue, ++number, 0);
    this.keep();
  }

  comment(issue: StoredIssue, body: string, user: string): StoredNote {
    const createdAt = this.clock.now();
    const listedAt = createdAt + this.lagMs(issue.repository);
    const note = { id: 1_001 + this.notes.length, issue: issue.id, body, user, createdAt, listedAt };
    this.notes.push(note);
    this.keep();
    return note;
  }

  setState(issue: StoredIssue, state: StoredIssue['state']): void {
    if (issue.state === state) return;
    issue.state = state;
    if (state === 'closed') issue.closedAt = this.clock.now();
    else delete issue.closedAt;
    this.keep();
    this.changed(issue, state === 'closed' ? 'close' : 'reopen');
  }

  /** A new issue of the same author and text elsewhere; the old one is closed, and names it. */
  move(issue: StoredIssue, to: string): StoredIssue {
    const { title, body, user, labels, assignees, confidential } = issue;
    const moved = this.add({ repository: to, title, body, user, labels, assignees, confidential });
    issue.gone = moved.id;
    this.setState(issue, 'closed');
    return moved;
  }

  /** The issues of a moved project move with it. */
  rename(from: string, to: string): void {
    for (const issue of this.issues) if (issue.repository === from) issue.repository = to;
    this.keep();
  }

  keep(): void {
    const file = this.options.persistTo;
    if (file === undefined) return;
    writeFileSync(`${file}.new`, JSON.stringify({ issues: this.issues, notes: this.notes }));
    renameSync(`${file}.new`, file);
  }

  private lagMs(repository: string): number {
    return this.options.repositories[repository]?.listingLagMs ?? 0;
  }

  private store(issue: NewIssue, number: number, lagMs: number): StoredIssue {
    const createdAt = this.clock.now();
    const stored: StoredIssue = {
      ...{ labels: [], assignees: [], confidential: false, state: 'opened' as const },
      ...issue,
      ...{ id: 70_001 + this.issues.length, number, createdAt, listedAt: createdAt + lagMs },
    };
    this.issues.push(stored);
    return stored;
  }
}
