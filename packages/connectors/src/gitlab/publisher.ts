import {
  CulpritError,
  hasMarker,
  type IssueToPublish,
  type PublishedIssue,
  type Publisher,
  type Reopening,
} from '@culprit/core';
import { once } from '@culprit/core/resilience';
import * as v from 'valibot';
import { read } from '../shared/read-answer.js';
import { ask, askOrNull, nextPage, type Target, targetOf } from './ask.js';
import type { GitlabAnswer, GitlabClient, Parameters } from './client.js';
import { publishError, requestFailure, TO_READ, unreadable } from './errors.js';
import { fixOf } from './fix.js';
import { iso, mapIssue } from './map.js';
import { movedTo } from './moved.js';
import { write } from './project.js';
import { gitlabReopening } from './reopening.js';
import { type IssueObject, issue as issueSchema, issues as issuesSchema, user, users } from './schema.js';
import { toStored } from './stored-text.js';

const PER_PAGE = 100;

/** Lists and creates issues with one token. Never repeats a creation; the engine decides about retries. */
export class GitlabPublisher implements Publisher {
  private readonly ownId = once(
    async (target: Target) =>
      read(user, (await ask(target, 'GET /user', { id: undefined })).data, unreadable).id,
    { retryFailed: true },
  );
  readonly reopening: Reopening;
  /** An issue has had several assignees, which takes a paid plan. GitLab tells the plan only to owners. */
  private keepsSeveral = false;

  constructor(
    private readonly client: GitlabClient,
    private readonly confidential: boolean,
  ) {
    this.reopening = gitlabReopening(client, this.ownId);
  }

  /** Newest first, so that a new issue is on the first page. Never searches: not every text is in GitLab's index. */
  async find(
    repository: string,
    marker: string,
    since: string,
    signal: AbortSignal,
  ): Promise<PublishedIssue | null> {
    const target = targetOf(this.client, repository, signal);
    const author = await this.ownId(target);
    const order = {
      state: 'all',
      scope: 'all',
      author_id: author,
      created_after: iso(since),
      order_by: 'created_at',
      sort: 'desc',
      per_page: PER_PAGE,
    };
    for (let next: Parameters | null = {}; next !== null; ) {
      const answer: GitlabAnswer = await ask(target, 'GET /projects/{id}/issues', { ...order, ...next });
      const found = read(issuesSchema, answer.data, unreadable).find(
        (one) => (one.author?.id ?? author) === author && hasMarker(one.description ?? '', marker),
      );
      if (found) return this.shown(found);
      next = nextPage(answer);
    }
    return null;
  }

  /** Who has no account, and who is one too many without a paid plan. GitLab drops the others whom it cannot assign without telling before. */
  async expect(
    { repository, assignees }: Pick<IssueToPublish, 'repository' | 'assignees'>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const target = targetOf(this.client, repository, signal);
    const found = await Promise.all(assignees.map((name) => accountId(target, name)));
    const [, ...others] = assignees.filter((_, index) => found[index] !== null);
    return [
      ...assignees
        .filter((_, index) => found[index] === null)
        .map((name) => `assignee "${name}" will be dropped: GitLab has no such user`),
      ...(this.keepsSeveral ? [] : others).map(
        (name) => `assignee "${name}" may be dropped: without a paid plan, GitLab keeps one assignee`,
      ),
    ];
  }

  async create(issue: IssueToPublish, signal: AbortSignal): Promise<PublishedIssue> {
    const target = targetOf(this.client, issue.repository, signal);
    const people = await Promise.all(
      issue.assignees.map((name) => accountId(target, name).catch(() => null)),
    );
    let answer: GitlabAnswer;
    try {
      answer = await write(target, 'POST /projects/{id}/issues', {
        title: issue.title,
        description: toStored(issue.body),
        ...(issue.labels.length === 0 ? {} : { labels: issue.labels }),
        ...(issue.assignees.length === 0 ? {} : { assignee_ids: people.flatMap((id) => id ?? []) }),
        ...(this.confidential ? { confidential: true } : {}),
      });
    } catch (error) {
      throw publishError(requestFailure(error), issue.repository);
    }
    const parsed = v.safeParse(issueSchema, answer.data);
    if (answer.status !== 201 || !parsed.success) {
      const detail = `GitLab returned ${answer.status} with an unreadable body. The issue may exist; the issue list is checked next.`;
      throw new CulpritError('publish_ambiguous', detail);
    }
    return this.shown(parsed.output);
  }

  private shown(issue: IssueObject): PublishedIssue {
    this.keepsSeveral ||= (issue.assignees ?? []).length > 1;
    const open = this.confidential && issue.confidential !== true;
    return { ...mapIssue(issue), ...(open ? { divergence: ['the issue is not confidential'] } : {}) };
  }

  async read(repository: string, number: number, signal: AbortSignal): Promise<PublishedIssue | null> {
    const target = targetOf(this.client, repository, signal);
    const place = await this.issueAt(target, number);
    if (place === null) return null;
    const shown = this.shown(place.issue);
    if (shown.state === 'open' || shown.closed_as) return shown;
    return { ...shown, fix: await fixOf(place.target, place.number) };
  }

  /** `null`: deleted, or moved out of sight. */
  private async issueAt(target: Target, number: number, hops = 3): Promise<IssuePlace | null> {
    const route = 'GET /projects/{id}/issues/{issue_iid}';
    const answer = await askOrNull(target, route, { issue_iid: number });
    if (answer === null) {
      await ask(target, 'GET /projects/{id}', {}, TO_READ);
      return null;
    }
    const issue = read(issueSchema, answer.data, unreadable);
    if (!issue.moved_to_id || hops === 0) return { issue, target, number };
    const to = await movedTo(target, issue.moved_to_id);
    return to === null ? null : this.issueAt({ ...target, ...to.project }, to.number, hops - 1);
  }
}

/** The number of a user, whom GitLab assigns by it; `null`: there is none. */
async function accountId(target: Target, username: string): Promise<number | null> {
  const answer = await ask(target, 'GET /users', { id: undefined, username });
  return read(users, answer.data, unreadable)[0]?.id ?? null;
}

/** An issue, and where it is now. */
interface IssuePlace {
  readonly issue: IssueObject;
  readonly target: Target;
  readonly number: number;
}
