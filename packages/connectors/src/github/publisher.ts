import type { IssueToPublish, PublishedComment, PublishedIssue } from '@culprit/core/connector';
import type { CodingAgent, IssueEdits } from '@culprit/core/internal/ports/publisher';
import * as v from 'valibot';
import { type HttpFailure, outcomeOf, RequestFailure, requestFailure } from '../shared/hosts/errors.js';
import {
  type CommentObject,
  comment as commentSchema,
  isSameName,
  mapComment,
  RestPublisher,
} from '../shared/hosts/publisher.js';
import { errors, read, refusalOf, type Target, targetOf } from './ask.js';
import type { GithubClient, RestAnswer } from './client.js';
import { commentPages, githubAgent } from './coding-agent.js';
import { expectedType, fixOf, isApp, lastEditOf, ownLogin, typeDivergence } from './issue.js';
import { type IssueObject, issue as issueSchema, shownIssue } from './schema.js';

const PER_PAGE = 100;
const LABEL_COLOUR = 'ededed';

/** Issues and their comments, by logins. */
export class GithubPublisher extends RestPublisher<Target, IssueObject, CommentObject, string> {
  /** `owner/name label` of labels that exist. */
  private readonly preparedLabels = new Set<string>();
  /** https://docs.github.com/en/rest/using-the-rest-api/issue-event-types#cross-referenced */
  readonly crossReferences = true;
  readonly agent?: CodingAgent;
  readonly edits: IssueEdits = {
    last: async (repository, number, signal) => lastEditOf(this.targetOf(repository, signal), number),
  };

  /** `issueType`: the name of the type that every issue gets; `null`: none. */
  constructor(
    private readonly client: GithubClient,
    private readonly issueType: string | null,
    /** Of the user who assigns the coding agent. Absent: nobody does. */
    agent?: GithubClient,
  ) {
    super(errors);
    // The publisher's account, whose comments are Culprit's own.
    if (agent !== undefined) this.agent = githubAgent(agent, (target) => this.own({ ...target, client }));
  }

  protected readonly schema = issueSchema;
  protected readonly author = ownLogin;
  protected readonly shownComment = mapComment;

  protected targetOf(repository: string, signal: AbortSignal): Target {
    return targetOf(this.client, repository, signal);
  }

  protected async *issues(target: Target, creator: string, since: string) {
    const newestFirst = {
      ...target.at,
      state: 'all',
      ...(isApp(creator) ? {} : { creator }),
      since,
      sort: 'created',
      direction: 'desc',
      per_page: PER_PAGE,
    } as const;
    const pages = this.client.pages(this.client.rest.issues.listForRepo, newestFirst);
    try {
      for await (const { data } of pages) yield read(v.array(issueSchema), data);
    } catch (error) {
      throw errors.codeHostError(error, target, errors.needs.write);
    }
  }

  protected isOwn({ pull_request, user }: IssueObject, author: string): boolean {
    return pull_request === undefined && isSameName(user?.login ?? author, author);
  }

  protected async *comments(target: Target, number: number, since: string) {
    try {
      yield* commentPages(target, number, since);
    } catch (error) {
      // A hidden repository has the same status.
      const isMissing = error instanceof RequestFailure && error.failure.status === 404;
      if (isMissing) await errors.answered(target, this.probe(target), errors.needs.issues);
      throw error;
    }
  }

  protected isOwnComment({ user }: CommentObject, author: string): boolean {
    return isSameName(user?.login, author);
  }

  protected bodyOf({ body }: IssueObject | CommentObject): string {
    return body ?? '';
  }

  /** Who cannot be assigned, and an unknown issue type. */
  protected override async dropped(target: Target, assignees: readonly string[]): Promise<readonly string[]> {
    const type = this.issueType === null ? [] : expectedType(target, this.issueType);
    return [...(await super.dropped(target, assignees)), ...(await type)];
  }

  protected async submit(target: Target, issue: IssueToPublish): Promise<RestAnswer> {
    await this.prepareLabels(target, issue.labels);
    return this.postIssue(target, issue, this.issueType);
  }

  /**
   * One creation. GitHub rejects an issue whole if somebody cannot be assigned or its type is unknown, and creates nothing, so
   * it is then sent again without them: a name must not keep an incident from being published.
   */
  private async postIssue(target: Target, issue: IssueToPublish, type: string | null): Promise<RestAnswer> {
    const { title, body } = issue;
    const [labels, assignees] = [[...issue.labels], [...issue.assignees]];
    const typed = type === null ? {} : { type };
    try {
      const { create } = this.client.rest.issues;
      return await create({ ...target.at, title, body, labels, assignees, ...typed });
    } catch (error) {
      const failure = requestFailure(error);
      const fields = new Set((failure.errors ?? []).map(({ field }) => field));
      const people = fields.delete('assignees') && assignees.length > 0;
      const kind = fields.delete('type') && type !== null;
      if (failure.status === 422 && fields.size === 0 && (people || kind))
        return this.postIssue(target, people ? { ...issue, assignees: [] } : issue, kind ? null : type);
      throw error;
    }
  }

  protected shown(issue: IssueObject): PublishedIssue {
    const { issueType } = this;
    const typed = issueType === null ? {} : { divergence: typeDivergence(issue, issueType) };
    return { ...shownIssue(issue), ...typed };
  }

  /** At creation only push access sets labels and assignees, afterwards triage is enough. */
  protected override async complete(
    target: Target,
    made: PublishedIssue,
    wanted: IssueToPublish,
  ): Promise<PublishedIssue> {
    const at = { ...target.at, issue_number: made.number };
    const { addLabels, addAssignees } = this.client.rest.issues;
    const add = async (
      what: 'labels' | 'assignees',
      request: (names: string[]) => Promise<{ readonly data: unknown }>,
      schema: v.GenericSchema<unknown, readonly string[]>,
    ) => {
      const missing = wanted[what].filter((name) => !made[what].some((there) => isSameName(there, name)));
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

  protected async unassignable(target: Target, assignees: readonly string[]): Promise<readonly string[]> {
    const { checkUserCanBeAssigned } = this.client.rest.issues;
    const asked = assignees.map(async (assignee) => {
      const answer = await outcomeOf(checkUserCanBeAssigned({ ...target.at, assignee }));
      return answer instanceof RequestFailure && answer.failure.status === 404 ? [assignee] : [];
    });
    return (await Promise.all(asked)).flat();
  }

  protected askIssue({ at }: Target, number: number): Promise<RestAnswer> {
    return this.client.rest.issues.get({ ...at, issue_number: number });
  }

  protected probe({ at }: Target): Promise<unknown> {
    return this.client.rest.issues.listForRepo({ ...at, per_page: 1 });
  }

  /** Also one issue of a repository whose issues are disabled is 410. */
  protected override isGone(failure: HttpFailure, { repository }: Target): boolean {
    return failure.status === 410 && refusalOf(failure, repository) === null;
  }

  protected override async withFix(target: Target, issue: PublishedIssue): Promise<PublishedIssue> {
    return issue.closed_as === 'completed' ? { ...issue, fix: await fixOf(target, issue.url) } : issue;
  }

  protected async post({ at }: Target, number: number, body: string): Promise<PublishedComment> {
    const answer = await this.client.rest.issues.createComment({ ...at, issue_number: number, body });
    return mapComment(errors.created(commentSchema, answer, 'comment'));
  }

  protected setState({ at }: Target, number: number, state: 'open' | 'closed'): Promise<unknown> {
    const reason = state === 'closed' ? ({ state_reason: 'completed' } as const) : {};
    return this.client.rest.issues.update({ ...at, issue_number: number, state, ...reason });
  }

  protected whyRefused({ repository }: Target, _number: number, failure: HttpFailure): string | null {
    const { status, message, unsent } = failure;
    if (unsent !== undefined || refusalOf(failure, repository) !== null) return null;
    if (status === 404) return 'GitHub does not show it, so it was deleted or transferred';
    if (status === 410) return 'it was deleted or transferred';
    return status === 403 && /issue is locked/i.test(message) ? 'it is locked' : null;
  }

  /** Creates missing labels. If that fails, the issue is published without them, and `divergence` lists them. */
  private async prepareLabels(target: Target, labels: readonly string[]): Promise<void> {
    const { getLabel, createLabel } = this.client.rest.issues;
    for (const name of labels) {
      if (this.preparedLabels.has(`${target.repository} ${name}`)) continue;
      const found = await outcomeOf(getLabel({ ...target.at, name }));
      if (found instanceof RequestFailure) {
        if (found.failure.status !== 404) return;
        const label = { ...target.at, name, color: LABEL_COLOUR, description: 'Set by Culprit' };
        const made = await createLabel(label).catch(() => null);
        if (made === null) return;
      }
      this.preparedLabels.add(`${target.repository} ${name}`);
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
