import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { DoubleClock } from '../github/index.js';

export interface StoredIssue {
  repository: string;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** Names, sorted, as the server returns them. */
  labels: string[];
  readonly assignees: readonly string[];
  state: 'open' | 'closed';
  locked?: boolean;
  gone?: 'deleted';
  readonly user: string;
  readonly createdAt: number;
  updatedAt: number;
  closedAt?: number | null;
  /** Of a pull request: the commit that merged it. */
  readonly merged?: string;
}
export interface StoredComment {
  repository: string;
  readonly number: number;
  readonly id: number;
  readonly body: string;
  readonly user: string;
  readonly createdAt: number;
}
export interface StoredLabel {
  repository: string;
  readonly id: number;
  readonly name: string;
}
export type NewIssue = Pick<
  StoredIssue,
  'repository' | 'title' | 'body' | 'labels' | 'assignees' | 'user' | 'merged'
>;

interface Kept {
  readonly issues: StoredIssue[];
  readonly comments: StoredComment[];
  readonly labels: StoredLabel[];
}

/** All writable state. With a file it survives the process. Times are whole seconds, as in the server's database. */
export class State {
  readonly issues: StoredIssue[] = [];
  readonly comments: StoredComment[] = [];
  readonly labels: StoredLabel[] = [];
  /** Called after an issue was opened or closed. */
  changed: (issue: StoredIssue, action: string) => void = () => {};
  private nextLabel = 1;

  constructor(
    private readonly clock: DoubleClock,
    private readonly file: string | undefined,
  ) {
    if (file === undefined || !existsSync(file)) return;
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
    this.issues.push(...kept.issues);
    this.comments.push(...kept.comments);
    this.labels.push(...kept.labels);
    this.nextLabel = Math.max(0, ...this.labels.map(({ id }) => id)) + 1;
  }

  private now(): number {
    return Math.floor(this.clock.now() / 1_000) * 1_000;
  }

  of(repository: string): readonly StoredIssue[] {
    return this.issues.filter((issue) => issue.repository === repository);
  }

  issue(repository: string, number: number): StoredIssue | null {
    return this.of(repository).find((issue) => issue.number === number && issue.gone === undefined) ?? null;
  }

  add(issue: NewIssue): StoredIssue {
    return this.addAll([issue])[0] as StoredIssue;
  }

  addAll(issues: readonly NewIssue[]): readonly StoredIssue[] {
    const first = this.of(issues[0]?.repository ?? '').length + 1;
    const now = this.now();
    const stored = issues.map((issue, index): StoredIssue => {
      const times = { createdAt: now, updatedAt: now };
      const state = issue.merged === undefined ? ('open' as const) : ('closed' as const);
      return { ...issue, title: issue.title.trim(), ...times, number: first + index, state };
    });
    this.issues.push(...stored);
    this.keep();
    return stored;
  }

  setState(issue: StoredIssue, state: StoredIssue['state']): void {
    if (issue.state === state) return;
    issue.state = state;
    issue.closedAt = state === 'closed' ? this.now() : null;
    this.touch(issue);
    this.changed(issue, state === 'closed' ? 'closed' : 'reopened');
  }

  touch(issue: StoredIssue): void {
    issue.updatedAt = this.now();
    this.keep();
  }

  comment(issue: StoredIssue, body: string, user: string): StoredComment {
    const { repository, number } = issue;
    const stored = { repository, number, id: this.comments.length + 1, body, user, createdAt: this.now() };
    this.comments.push(stored);
    this.touch(issue);
    return stored;
  }

  commentsOf({ repository, number }: StoredIssue): readonly StoredComment[] {
    return this.comments.filter((one) => one.repository === repository && one.number === number);
  }

  /** Two labels may have one name, as on the server. */
  addLabel(repository: string, name: string): StoredLabel {
    const label = { repository, id: this.nextLabel, name };
    this.nextLabel += 1;
    this.labels.push(label);
    this.keep();
    return label;
  }

  has(repository: string, name: string): boolean {
    return this.labels.some((label) => label.repository === repository && label.name === name);
  }

  removeLabel(repository: string, name: string): void {
    const kept = this.labels.filter((label) => label.repository !== repository || label.name !== name);
    this.labels.splice(0, this.labels.length, ...kept);
    this.keep();
  }

  rename(from: string, to: string): void {
    for (const one of [...this.issues, ...this.comments, ...this.labels])
      if (one.repository === from) one.repository = to;
    this.keep();
  }

  private keep(): void {
    if (this.file === undefined) return;
    const { issues, comments, labels } = this;
    writeFileSync(`${this.file}.new`, JSON.stringify({ issues, comments, labels }));
    renameSync(`${this.file}.new`, this.file);
  }
}
