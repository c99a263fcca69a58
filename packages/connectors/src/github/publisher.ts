import {
  CulpritError,
  hasMarker,
  type IssueToPublish,
  type PublishedIssue,
  type Publisher,
} from '@culprit/core';
import { once } from '@culprit/core/resilience';
import * as v from 'valibot';
import { type RepositoryName, repositoryName, unreadable } from './ask.js';
import { type GithubClient, type RestAnswer, read } from './client.js';
import { codeHostError, httpFailure, publishError } from './errors.js';
import { mapIssue } from './map.js';
import { type IssueObject, issue as issueSchema } from './schema.js';

const PER_PAGE = 100;
/** 100 pages are ten thousand issues. */
const MAX_PAGES = 100;
const LABEL_COLOUR = 'ededed';

/** Lists and creates issues with one token. Never repeats a POST; the engine decides about retries. */
export class GithubPublisher implements Publisher {
  /** `owner/name label` of labels that exist. */
  private readonly preparedLabels = new Set<string>();

  constructor(private readonly client: GithubClient) {}

  /** Newest first, so that a new issue is on the first page. Never uses search: its index lags by minutes. */
  async find(
    repository: string,
    marker: string,
    since: string,
    signal: AbortSignal,
  ): Promise<PublishedIssue | null> {
    const target = repositoryName(this.client, repository, signal);
    const creator = await this.ownLogin(target);
    for (let page = 1; page <= MAX_PAGES; page++) {
      const parameters = {
        state: 'all',
        creator,
        since,
        sort: 'created',
        direction: 'desc',
        per_page: PER_PAGE,
        page,
      };
      const answer = await this.ask(target, 'GET /repos/{owner}/{repo}/issues', parameters);
      const issues = read(v.array(issueSchema), answer.data, unreadable);
      const found = issues.find((issue) => isOwnIssue(issue, creator) && hasMarker(issue.body ?? '', marker));
      if (found) return mapIssue(found);
      if (issues.length < PER_PAGE) return null;
    }
    return null;
  }

  async create(issue: IssueToPublish, signal: AbortSignal): Promise<PublishedIssue> {
    const target = repositoryName(this.client, issue.repository, signal);
    await this.prepareLabels(target, issue.labels);
    const { title, body, labels, assignees } = issue;
    let answer: RestAnswer;
    try {
      const { owner, repo } = target;
      const parameters = { owner, repo, title, body, labels, assignees };
      answer = await this.client.rest('POST /repos/{owner}/{repo}/issues', parameters, signal);
    } catch (error) {
      throw publishError(httpFailure(error), issue.repository, Date.now());
    }
    const parsed = v.safeParse(issueSchema, answer.data);
    if (answer.status !== 201 || !parsed.success) {
      const detail = `GitHub returned ${answer.status} with an unreadable body. The issue may exist; the issue list is checked next.`;
      throw new CulpritError('publish_ambiguous', detail);
    }
    return mapIssue(parsed.output);
  }

  async read(repository: string, number: number, signal: AbortSignal): Promise<PublishedIssue | null> {
    const target = repositoryName(this.client, repository, signal);
    try {
      const { owner, repo } = target;
      const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
      const { data } = await this.client.rest(route, { owner, repo, issue_number: number }, signal);
      return mapIssue(read(issueSchema, data, unreadable));
    } catch (error) {
      const failure = httpFailure(error);
      if (failure.status === 404 || failure.status === 410) return null;
      throw error instanceof CulpritError
        ? error
        : codeHostError(failure, repository, 'Issues: read', Date.now());
    }
  }

  /** Creates missing labels. If that fails, the issue is published without them, and `divergence` lists them. */
  private async prepareLabels(target: RepositoryName, labels: readonly string[]): Promise<void> {
    const { owner, repo, signal } = target;
    for (const name of labels) {
      if (this.preparedLabels.has(`${target.repository} ${name}`)) continue;
      try {
        await this.client.rest('GET /repos/{owner}/{repo}/labels/{name}', { owner, repo, name }, signal);
      } catch (error) {
        if (httpFailure(error).status !== 404) return;
        const label = { owner, repo, name, color: LABEL_COLOUR, description: 'Set by Culprit' };
        const made = await this.client
          .rest('POST /repos/{owner}/{repo}/labels', label, signal)
          .catch(() => null);
        if (made === null) return;
      }
      this.preparedLabels.add(`${target.repository} ${name}`);
    }
  }

  private readonly ownLogin = once(
    async (target: RepositoryName): Promise<string> => {
      const { data } = await this.ask(target, 'GET /user', { owner: undefined, repo: undefined });
      return read(v.object({ login: v.string() }), data, unreadable).login;
    },
    { retryFailed: true },
  );

  private async ask(
    target: RepositoryName,
    route: string,
    parameters: Readonly<Record<string, unknown>>,
  ): Promise<RestAnswer> {
    const { owner, repo, repository, signal } = target;
    try {
      return await this.client.rest(route, { owner, repo, ...parameters }, signal);
    } catch (error) {
      throw codeHostError(httpFailure(error), repository, 'Issues: write', Date.now());
    }
  }
}

/** A marker can be copied from a public issue. GitHub applies `creator`; a proxy may not. */
function isOwnIssue({ pull_request, user }: IssueObject, creator: string): boolean {
  if (pull_request !== undefined) return false;
  return (user?.login ?? creator).toLowerCase() === creator.toLowerCase();
}
