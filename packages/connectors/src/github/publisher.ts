import {
  type CodingAgent,
  CulpritError,
  hasMarker,
  type IssueEdits,
  type IssueToPublish,
  type PublishedIssue,
  type Publisher,
  type Reopening,
} from '@culprit/core';
import { once } from '@culprit/core/resilience';
import * as v from 'valibot';
import { read } from '../shared/read-answer.js';
import { type RepositoryName, repositoryName, unreadable } from './ask.js';
import type { GithubClient } from './client.js';
import { githubAgent } from './coding-agent.js';
import { codeHostError, httpFailure, publishError } from './errors.js';
import { fixOf } from './fix.js';
import { isApp, ownLogin } from './identity.js';
import { expectedType, typeDivergence } from './issue-type.js';
import { lastEditOf } from './last-edit.js';
import { mapIssue } from './map.js';
import type { RestAnswer } from './octokit.js';
import { refusalOf } from './refusals.js';
import { githubReopening } from './reopening.js';
import { type IssueObject, issue as issueSchema } from './schema.js';

const PER_PAGE = 100;
const LABEL_COLOUR = 'ededed';

/** Lists and creates issues with one token. Never repeats a POST; the engine decides about retries. */
export class GithubPublisher implements Publisher {
  /** `owner/name label` of labels that exist. */
  private readonly preparedLabels = new Set<string>();
  private readonly ownLogin = once(ownLogin, { retryFailed: true });
  /** https://docs.github.com/en/rest/using-the-rest-api/issue-event-types#cross-referenced */
  readonly crossReferences = true;
  readonly reopening: Reopening;
  readonly agent?: CodingAgent;
  readonly edits: IssueEdits = {
    last: async (repository, number, signal) =>
      lastEditOf(repositoryName(this.client, repository, signal), number),
  };

  /** `issueType`: the name of the type that every issue gets; `null`: none. */
  constructor(
    private readonly client: GithubClient,
    private readonly issueType: string | null,
    /** Of the user who assigns the coding agent. Absent: nobody does. */
    agent?: GithubClient,
  ) {
    // The publisher's account, whose comments are Culprit's own.
    const publisherLogin = (target: RepositoryName) => this.ownLogin({ ...target, client });
    if (agent !== undefined) this.agent = githubAgent(agent, publisherLogin);
    this.reopening = githubReopening(client, this.ownLogin);
  }

  /** Newest first, so that a new issue is on the first page. Never uses search: its index lags by minutes. */
  async find(
    repository: string,
    marker: string,
    since: string,
    signal: AbortSignal,
  ): Promise<PublishedIssue | null> {
    const target = repositoryName(this.client, repository, signal);
    const creator = await this.ownLogin(target);
    const newestFirst = {
      ...target.at,
      state: 'all',
      ...(isApp(creator) ? {} : { creator }),
      since,
      sort: 'created',
      direction: 'desc',
      per_page: PER_PAGE,
    } as const;
    // GitHub's `since` compares the time of the last change, so older issues follow.
    const start = Date.parse(since);
    const pages = this.client.pages(this.client.rest.issues.listForRepo, newestFirst)[Symbol.asyncIterator]();
    for (;;) {
      const page = await this.ask(target, pages.next());
      if (page.done) return null;
      const issues = read(v.array(issueSchema), page.value.data, unreadable);
      const found = issues.find((issue) => isOwnIssue(issue, creator) && hasMarker(issue.body ?? '', marker));
      if (found) return this.shown(found);
      if (issues.some(({ created_at }) => Date.parse(created_at) < start)) return null;
    }
  }

  /** Who cannot be assigned, and an unknown issue type, before anybody signs. A failed question expects nothing. */
  async expect(
    { repository, assignees }: Pick<IssueToPublish, 'repository' | 'assignees'>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const target = repositoryName(this.client, repository, signal);
    const type = this.issueType === null ? [] : expectedType(target, this.issueType);
    const foreign = await this.unassignable(target, assignees);
    const people = foreign.map(
      (login) => `assignee "${login}" will be dropped: GitHub cannot assign them in ${repository}`,
    );
    return [...people, ...(await type)];
  }

  async create(issue: IssueToPublish, signal: AbortSignal): Promise<PublishedIssue> {
    const target = repositoryName(this.client, issue.repository, signal);
    await this.prepareLabels(target, issue.labels);
    const foreign = new Set(await this.unassignable(target, issue.assignees));
    const assignees = issue.assignees.filter((login) => !foreign.has(login));
    const made = await this.post(target, { ...issue, assignees }, this.issueType);
    return this.complete(target, made, { ...issue, assignees });
  }

  /**
   * One creation. GitHub rejects an issue whole if somebody cannot be assigned or its type is unknown, and creates nothing, so
   * it is then sent again without them: a name must not keep an incident from being published.
   */
  private async post(
    target: RepositoryName,
    issue: IssueToPublish,
    type: string | null,
  ): Promise<PublishedIssue> {
    const { title, body } = issue;
    const [labels, assignees] = [[...issue.labels], [...issue.assignees]];
    const typed = type === null ? {} : { type };
    let answer: RestAnswer;
    try {
      answer = await this.client.rest.issues.create({
        ...target.at,
        title,
        body,
        labels,
        assignees,
        ...typed,
      });
    } catch (error) {
      const failure = httpFailure(error);
      const fields = new Set((failure.errors ?? []).map(({ field }) => field));
      const people = fields.delete('assignees') && assignees.length > 0;
      const kind = fields.delete('type') && type !== null;
      if (failure.status === 422 && fields.size === 0 && (people || kind))
        return this.post(target, people ? { ...issue, assignees: [] } : issue, kind ? null : type);
      throw publishError(failure, issue.repository, Date.now());
    }
    const parsed = v.safeParse(issueSchema, answer.data);
    if (answer.status !== 201 || !parsed.success) {
      const detail = `GitHub returned ${answer.status} with an unreadable body. The issue may exist; the issue list is checked next.`;
      throw new CulpritError('publish_ambiguous', detail);
    }
    return this.shown(parsed.output);
  }

  private shown(issue: IssueObject): PublishedIssue {
    const { issueType } = this;
    const typed = issueType === null ? {} : { divergence: typeDivergence(issue, issueType) };
    return { ...mapIssue(issue), ...typed };
  }

  /**
   * Adds what GitHub dropped: at creation only push access sets labels and assignees, afterwards triage is enough. What fails
   * is missing from the issue, and the engine reports it.
   */
  private async complete(
    target: RepositoryName,
    made: PublishedIssue,
    wanted: Pick<IssueToPublish, 'labels' | 'assignees'>,
  ): Promise<PublishedIssue> {
    const at = { ...target.at, issue_number: made.number };
    const { addLabels, addAssignees } = this.client.rest.issues;
    const add = async (
      what: 'labels' | 'assignees',
      request: (names: string[]) => Promise<{ readonly data: unknown }>,
      schema: v.GenericSchema<unknown, readonly string[]>,
    ) => {
      const missing = wanted[what].filter((name) => !includes(made[what], name));
      if (missing.length === 0) return made[what];
      const send = async (names: string[]) => {
        const answer = await request(names).catch(() => null);
        const parsed = v.safeParse(schema, answer?.data);
        return parsed.success ? parsed.output : null;
      };
      const all = await send(missing);
      if (all !== null || missing.length === 1) return all ?? made[what];
      // One label that does not exist rejects them all, unless the token may create labels.
      let there = made[what];
      for (const name of missing) there = (await send([name])) ?? there;
      return there;
    };
    return {
      ...made,
      labels: await add('labels', (labels) => addLabels({ ...at, labels }), labelNames),
      assignees: await add('assignees', (assignees) => addAssignees({ ...at, assignees }), assigneeNames),
    };
  }

  private async unassignable(
    target: RepositoryName,
    assignees: readonly string[],
  ): Promise<readonly string[]> {
    const asked = assignees.map(async (assignee) => {
      try {
        await this.client.rest.issues.checkUserCanBeAssigned({ ...target.at, assignee });
        return [];
      } catch (error) {
        return httpFailure(error).status === 404 ? [assignee] : [];
      }
    });
    return (await Promise.all(asked)).flat();
  }

  async read(repository: string, number: number, signal: AbortSignal): Promise<PublishedIssue | null> {
    const target = repositoryName(this.client, repository, signal);
    try {
      const { data } = await this.client.rest.issues.get({ ...target.at, issue_number: number });
      const issue = this.shown(read(issueSchema, data, unreadable));
      return issue.closed_as === 'completed' ? { ...issue, fix: await fixOf(target, issue.url) } : issue;
    } catch (error) {
      const failure = httpFailure(error);
      // Also one issue of a repository whose issues are disabled is 410.
      if (failure.status === 410 && refusalOf(failure, repository) === null) return null;
      // Transferred out of sight, unless the repository itself is hidden.
      if (failure.status === 404) {
        await this.ask(target, this.client.rest.issues.listForRepo({ ...target.at, per_page: 1 }));
        return null;
      }
      throw error instanceof CulpritError
        ? error
        : codeHostError(failure, repository, 'Issues: read', Date.now());
    }
  }

  /** Creates missing labels. If that fails, the issue is published without them, and `divergence` lists them. */
  private async prepareLabels(target: RepositoryName, labels: readonly string[]): Promise<void> {
    const { getLabel, createLabel } = this.client.rest.issues;
    for (const name of labels) {
      if (this.preparedLabels.has(`${target.repository} ${name}`)) continue;
      try {
        await getLabel({ ...target.at, name });
      } catch (error) {
        if (httpFailure(error).status !== 404) return;
        const label = { ...target.at, name, color: LABEL_COLOUR, description: 'Set by Culprit' };
        const made = await createLabel(label).catch(() => null);
        if (made === null) return;
      }
      this.preparedLabels.add(`${target.repository} ${name}`);
    }
  }

  private async ask<Answer>({ repository }: RepositoryName, answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      throw codeHostError(httpFailure(error), repository, 'Issues: write', Date.now());
    }
  }
}

const labelNames = v.pipe(
  v.array(v.object({ name: v.string() })),
  v.transform((labels) => labels.map(({ name }) => name)),
);
const assigneeNames = v.pipe(
  v.object({ assignees: v.array(v.object({ login: v.string() })) }),
  v.transform(({ assignees }) => assignees.map(({ login }) => login)),
);

function includes(names: readonly string[], wanted: string): boolean {
  return names.some((name) => name.toLowerCase() === wanted.toLowerCase());
}

/** A marker can be copied from a public issue. GitHub applies `creator`; a proxy may not. */
function isOwnIssue({ pull_request, user }: IssueObject, creator: string): boolean {
  if (pull_request !== undefined) return false;
  return (user?.login ?? creator).toLowerCase() === creator.toLowerCase();
}
