import { type BaseIssue, type BaseNewIssue, BaseState, type StoredComment } from '../shared/state.js';

export interface StoredIssue extends BaseIssue {
  /** Unique on the whole server. `number` is its `iid`. */
  readonly id: number;
  readonly confidential: boolean;
  duplicateOf?: number;
}

export type StoredNote = StoredComment;

export type NewIssue = BaseNewIssue & Partial<Pick<StoredIssue, 'labels' | 'assignees' | 'confidential'>>;

export class State extends BaseState<StoredIssue, NewIssue> {
  protected override readonly firstComment = 1_001;

  protected made(issue: NewIssue) {
    const usual = { labels: [], assignees: [], confidential: false, state: 'open' as const };
    return { ...usual, ...issue, id: 70_001 + this.issues.length };
  }

  /** A new issue of the same author and text elsewhere; the old one is closed, and names it. */
  transfer(repository: string, number: number, to: string): void {
    const issue = this.issue(repository, number);
    if (issue === null) return;
    const { title, body, user, labels, assignees, confidential } = issue;
    const moved = this.add({ repository: to, title, body, user, labels, assignees, confidential });
    issue.gone = { repository: to, number: moved.number };
    this.setState(issue, 'closed');
  }
}
