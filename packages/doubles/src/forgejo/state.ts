import type { DoubleClock } from '../shared/clock.js';
import { type BaseIssue, type BaseNewIssue, BaseState, keptIn } from '../shared/state.js';
import type { DoubleOptions } from './options.js';

export type { StoredComment } from '../shared/state.js';

/** Its labels are sorted, as the server returns them. */
export interface StoredIssue extends BaseIssue {
  /** Of a pull request: the commit that merged it. */
  readonly merged?: string;
}
export interface StoredLabel {
  repository: string;
  readonly id: number;
  readonly name: string;
}
export type NewIssue = BaseNewIssue & Pick<StoredIssue, 'labels' | 'assignees' | 'merged'>;

/** Times are whole seconds, as in the server's database. */
export class State extends BaseState<StoredIssue, NewIssue> {
  readonly labels: StoredLabel[] = [];
  private nextLabel: number;

  constructor(options: DoubleOptions, clock: DoubleClock) {
    super(options, clock);
    this.labels.push(...(keptIn<Pick<State, 'labels'>>(options)?.labels ?? []));
    this.nextLabel = Math.max(0, ...this.labels.map(({ id }) => id)) + 1;
    for (const [name, labels] of Object.entries(options.organizations ?? {}))
      for (const label of labels) if (!this.has(name, label)) this.addLabel(name, label);
  }

  protected made(issue: NewIssue) {
    const state = issue.merged === undefined ? ('open' as const) : ('closed' as const);
    return { ...issue, title: issue.title.trim(), state };
  }

  override now(): number {
    return Math.floor(super.now() / 1_000) * 1_000;
  }

  /** `null` also if it is deleted. */
  override issue(repository: string, number: number): StoredIssue | null {
    const found = super.issue(repository, number);
    return found?.gone === undefined ? found : null;
  }

  /** Two labels may have one name, as on the server. */
  addLabel(repository: string, name: string): StoredLabel {
    const label = { repository, id: this.nextLabel++, name };
    this.labels.push(label);
    this.keep();
    return label;
  }

  private has(repository: string, name: string): boolean {
    return this.labels.some((label) => label.repository === repository && label.name === name);
  }

  removeLabel(repository: string, name: string): void {
    const kept = this.labels.filter((label) => label.repository !== repository || label.name !== name);
    this.labels.splice(0, this.labels.length, ...kept);
    this.keep();
  }

  override rename(from: string, to: string): void {
    for (const label of this.labels) if (label.repository === from) label.repository = to;
    super.rename(from, to);
  }

  protected override kept(): object {
    return { labels: this.labels };
  }
}
