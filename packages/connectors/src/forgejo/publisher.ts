import {
  CulpritError,
  hasMarker,
  type IssueToPublish,
  isCulpritError,
  type PublishedIssue,
  type Publisher,
  type Reopening,
} from '@culprit/core';
import { once } from '@culprit/core/resilience';
import * as v from 'valibot';
import type { CacheContext } from '../shared/open-cache.js';
import { read } from '../shared/read-answer.js';
import { type ForgejoClient, type Query, repositoryPath } from './client.js';
import { repositoryName } from './config.js';
import { codeHostError, issuesDisabled, publishError, requestFailure, unreadable } from './errors.js';
import { labelStore } from './labels.js';
import { forgejoReopening } from './reopening.js';
import { type IssueObject, issueSchema, mapIssue, repositorySchema, userSchema } from './schema.js';

/** The server's default `MAX_RESPONSE_ITEMS`. It returns fewer where it is configured so. */
const PER_PAGE = 50;

/**
 * Lists and creates issues with one token. Never repeats a POST; the engine decides about retries. A list shows an issue at once, but
 * a request that got no response may still take effect, so `listsAtOnce` is not promised.
 */
export class ForgejoPublisher implements Publisher {
  readonly reopening: Reopening;
  private readonly labels;
  private readonly ownLogin;

  constructor(
    private readonly client: ForgejoClient,
    context: CacheContext,
  ) {
    this.labels = labelStore(client, context);
    this.ownLogin = once(
      async (signal: AbortSignal) =>
        read(userSchema, (await client.get('/user', {}, signal)).data, unreadable).login,
      { retryFailed: true },
    );
    this.reopening = forgejoReopening(client, this.ownLogin);
  }

  /** Newest first, whatever else is asked for, so that a new issue is on the first page. */
  async find(
    repository: string,
    marker: string,
    since: string,
    signal: AbortSignal,
  ): Promise<PublishedIssue | null> {
    const name = repositoryName(repository);
    const start = Date.parse(since);
    const issues = `${repositoryPath(name)}/issues`;
    try {
      const creator = await this.ownLogin(signal);
      // `since` compares the time of the last change, in whole seconds.
      const from = new Date(Math.floor(start / 1_000) * 1_000).toISOString();
      const order: Query = {
        state: 'all',
        type: 'issues',
        created_by: creator,
        since: from,
        limit: PER_PAGE,
      };
      for (let page = 1; ; page += 1) {
        const { data, more } = await this.client.get(issues, { ...order, page }, signal);
        const listed = read(v.array(issueSchema), data, unreadable);
        const found = listed.find((issue) => isBy(issue, creator) && hasMarker(issue.body ?? '', marker));
        if (found) return mapIssue(found);
        if (!more || listed.some(({ created_at }) => Date.parse(created_at) + 1_000 < start)) return null;
      }
    } catch (error) {
      throw codeHostError(error, repository, signal);
    }
  }

  /** Who cannot be assigned, before anybody signs. A failed question expects nothing. */
  async expect(
    { repository, assignees }: Pick<IssueToPublish, 'repository' | 'assignees'>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const foreign = await this.unassignable(repositoryName(repository), assignees, signal);
    return foreign.map(
      (login) => `assignee "${login}" will be dropped: the server cannot assign them in ${repository}`,
    );
  }

  async create(issue: IssueToPublish, signal: AbortSignal): Promise<PublishedIssue> {
    const name = repositoryName(issue.repository);
    const foreign = new Set(await this.unassignable(name, issue.assignees, signal));
    const assignees = issue.assignees.filter((login) => !foreign.has(login));
    const ids = await this.labels.idsOf(name, issue.labels, signal);
    const made = await this.post(name, { ...issue, assignees }, ids, signal);
    return this.withLabels(name, made, issue.labels, signal);
  }

  /**
   * One creation. The server rejects an issue whole if somebody cannot be assigned, and creates nothing, so it is then sent again
   * without them: a name must not keep an incident from being published.
   */
  private async post(
    name: string,
    issue: IssueToPublish,
    labels: readonly number[],
    signal: AbortSignal,
  ): Promise<PublishedIssue> {
    const { title, body, assignees, repository } = issue;
    try {
      const path = `${repositoryPath(name)}/issues`;
      const answer = await this.client.send('POST', path, { title, body, labels, assignees }, signal);
      const parsed = v.safeParse(issueSchema, answer.data);
      if (answer.status === 201 && parsed.success) return mapIssue(parsed.output);
      const detail = `The server returned ${answer.status} with an unreadable body. The issue may exist; the issue list is checked next.`;
      throw new CulpritError('publish_ambiguous', detail);
    } catch (error) {
      if (isCulpritError(error)) throw error;
      const { status, message } = requestFailure(error);
      if (
        status === 422 &&
        assignees.length > 0 &&
        /assign|does not have access|user does not exist/i.test(message)
      )
        return this.post(name, { ...issue, assignees: [] }, labels, signal);
      if ((status === 403 || status === 404) && (await this.hasNoIssues(name, signal)))
        throw issuesDisabled(repository);
      throw publishError(error, repository, 'issue');
    }
  }

  /** A label that was deleted since it was read is dropped without a word. */
  private async withLabels(
    name: string,
    made: PublishedIssue,
    wanted: readonly string[],
    signal: AbortSignal,
  ): Promise<PublishedIssue> {
    const missing = wanted.filter((label) => !made.labels.includes(label));
    if (missing.length === 0) return made;
    await this.labels.forget(name);
    try {
      const ids = await this.labels.idsOf(name, missing, signal);
      if (ids.length === 0) return made;
      const path = `${repositoryPath(name)}/issues/${made.number}`;
      await this.client.send('POST', `${path}/labels`, { labels: ids }, signal);
      return mapIssue(read(issueSchema, (await this.client.get(path, {}, signal)).data, unreadable));
    } catch {
      // What is missing from the issue is reported by the engine.
      return made;
    }
  }

  private async unassignable(
    name: string,
    assignees: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (assignees.length === 0) return [];
    try {
      const { data } = await this.client.get(`${repositoryPath(name)}/assignees`, {}, signal);
      const logins = read(v.array(userSchema), data, unreadable).map(({ login }) => login.toLowerCase());
      return assignees.filter((login) => !logins.includes(login.toLowerCase()));
    } catch {
      signal.throwIfAborted();
      return [];
    }
  }

  /** A repository whose issues are disabled is refused like one that the user may not write to. */
  private async hasNoIssues(name: string, signal: AbortSignal): Promise<boolean> {
    try {
      const { data } = await this.client.get(repositoryPath(name), {}, signal);
      return !read(repositorySchema, data, unreadable).has_issues;
    } catch {
      return false;
    }
  }

  async read(repository: string, number: number, signal: AbortSignal): Promise<PublishedIssue | null> {
    const path = `${repositoryPath(repositoryName(repository))}/issues`;
    try {
      const { data } = await this.client.get(`${path}/${number}`, {}, signal).catch(async (error) => {
        if (requestFailure(error).status !== 404) throw error;
        // Deleted, unless the repository itself is hidden.
        await this.client.get(path, { type: 'issues', limit: 1 }, signal);
        return { data: null };
      });
      return data === null ? null : mapIssue(read(issueSchema, data, unreadable));
    } catch (error) {
      throw codeHostError(error, repository, signal);
    }
  }
}

/** A marker can be copied from a public issue, and a proxy may drop `created_by`. */
function isBy({ user }: IssueObject, login: string): boolean {
  return user?.login.toLowerCase() === login.toLowerCase();
}
