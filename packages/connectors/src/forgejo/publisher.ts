import {
  CulpritError,
  type IssueToPublish,
  type PublishedComment,
  type PublishedIssue,
} from '@culprit/core/connector';
import { keyedMutex } from '@culprit/core/internal/resilience/mutex';
import * as v from 'valibot';
import type { RestAnswer, RestClient } from '../shared/hosts/client.js';
import { type HttpFailure, outcomeOf, RequestFailure, requestFailure } from '../shared/hosts/errors.js';
import {
  account,
  type CommentObject,
  comment as commentSchema,
  isSameName,
  mapComment,
  RestPublisher,
} from '../shared/hosts/publisher.js';
import { type Cache, type CacheContext, cachesOf, GROWING } from '../shared/open-cache.js';
import { answered, ask, askUser, errors, pages, read, send, type Target, targetOf } from './ask.js';
import { type IssueObject, issueSchema, labelSchema, repositorySchema, shownIssue } from './schema.js';

/** The server's default `MAX_RESPONSE_ITEMS`. It returns fewer where it is configured so. */
const PER_PAGE = 50;

const ISSUES = 'GET /repos/{owner}/{repo}/issues';
const ISSUE = 'GET /repos/{owner}/{repo}/issues/{index}';

/**
 * Issues and their comments. A list shows an issue at once, but a request that got no response may still take effect, so
 * `listsAtOnce` is not promised.
 */
export class ForgejoPublisher extends RestPublisher<Target, IssueObject, CommentObject, string> {
  private readonly labels: Labels;

  constructor(
    private readonly client: RestClient,
    context: CacheContext,
  ) {
    super(errors);
    this.labels = new Labels(context);
  }

  protected readonly schema = issueSchema;
  protected readonly shown = shownIssue;
  protected readonly shownComment = mapComment;

  protected targetOf(repository: string, signal: AbortSignal): Target {
    return targetOf(this.client, repository, signal);
  }

  protected async author(target: Target): Promise<string> {
    return read(account, (await answered(target, askUser(target))).data).login;
  }

  /** Newest first, regardless of other parameters. */
  protected async *issues(target: Target, created_by: string, since: string) {
    // It compares the time of the last change, in whole seconds.
    const from = new Date(Math.floor(Date.parse(since) / 1_000) * 1_000).toISOString();
    const order = { state: 'all', type: 'issues', created_by, since: from, limit: PER_PAGE };
    for await (const { data } of pages(target, ISSUES, order)) yield read(v.array(issueSchema), data);
  }

  protected isOwn({ user }: IssueObject | CommentObject, author: string): boolean {
    return isSameName(user?.login, author);
  }

  protected readonly isOwnComment = this.isOwn;

  protected bodyOf({ body }: IssueObject | CommentObject): string {
    return body ?? '';
  }

  protected readonly unassignable = unassignable;

  protected async submit(target: Target, issue: IssueToPublish): Promise<RestAnswer> {
    return this.postIssue(target, issue, await this.labels.idsOf(target, issue.labels));
  }

  /**
   * One creation. The server rejects an issue whole if somebody cannot be assigned, and creates nothing, so it is then sent again
   * without them: a name must not keep an incident from being published.
   */
  private async postIssue(
    target: Target,
    issue: IssueToPublish,
    labels: readonly number[],
  ): Promise<RestAnswer> {
    const { title, body, assignees } = issue;
    try {
      return await send(target, 'POST /repos/{owner}/{repo}/issues', { title, body, labels, assignees });
    } catch (error) {
      const { status, message } = requestFailure(error);
      const unknown = /assign|does not have access|user does not exist/i.test(message);
      if (status === 422 && assignees.length > 0 && unknown)
        return this.postIssue(target, { ...issue, assignees: [] }, labels);
      if ((status === 403 || status === 404) && (await hasNoIssues(target)))
        throw new CulpritError(
          'publish_refused',
          `Issues are disabled in ${target.repository}. Enable them in its settings, under "Units".`,
        );
      throw error;
    }
  }

  /** A label that was deleted since it was read is dropped without a word. */
  protected override async complete(
    target: Target,
    made: PublishedIssue,
    wanted: IssueToPublish,
  ): Promise<PublishedIssue> {
    const missing = wanted.labels.filter((label) => !made.labels.includes(label));
    if (missing.length === 0) return made;
    await this.labels.forget(target);
    try {
      const labels = await this.labels.idsOf(target, missing);
      if (labels.length === 0) return made;
      const at = { index: made.number };
      await send(target, 'POST /repos/{owner}/{repo}/issues/{index}/labels', { ...at, labels });
      return shownIssue(await this.issue(target, made.number));
    } catch {
      // What is missing from the issue is reported by the engine.
      return made;
    }
  }

  protected askIssue(target: Target, number: number): Promise<RestAnswer> {
    return send(target, ISSUE, { index: Math.trunc(number) });
  }

  protected probe(target: Target): Promise<unknown> {
    return send(target, ISSUES, { type: 'issues', limit: 1 });
  }

  /** One page, oldest first. The server answers 500 if there is no such issue, so it is asked for first. */
  protected async *comments(target: Target, number: number, since: string) {
    const at = { index: Math.trunc(number) };
    await this.askIssue(target, number);
    const { data } = await ask(target, 'GET /repos/{owner}/{repo}/issues/{index}/comments', { ...at, since });
    yield read(v.array(commentSchema), data);
  }

  protected async post(target: Target, number: number, body: string): Promise<PublishedComment> {
    const at = { index: Math.trunc(number) };
    const there = await outcomeOf(this.askIssue(target, number));
    // For any other failure, the error of the POST is more precise.
    if (there instanceof RequestFailure && this.whyRefused(target, number, there.failure) !== null)
      throw there;
    const route = 'POST /repos/{owner}/{repo}/issues/{index}/comments';
    return mapComment(errors.created(commentSchema, await send(target, route, { ...at, body }), 'comment'));
  }

  protected setState(target: Target, number: number, state: 'open' | 'closed'): Promise<unknown> {
    const of = { index: Math.trunc(number), state };
    return send(target, 'PATCH /repos/{owner}/{repo}/issues/{index}', of);
  }

  protected whyRefused(_target: Target, _number: number, { status, message }: HttpFailure): string | null {
    if (status === 404) return 'the server does not show it, so it was deleted';
    return status === 403 && /lock/i.test(message) ? 'it is locked' : null;
  }
}

/** Those of the assignees whom the server does not list as such. */
async function unassignable(target: Target, assignees: readonly string[]): Promise<readonly string[]> {
  if (assignees.length === 0) return [];
  try {
    const { data } = await send(target, 'GET /repos/{owner}/{repo}/assignees');
    const users = read(v.array(account), data);
    return assignees.filter((login) => !users.some((user) => isSameName(user.login, login)));
  } catch {
    target.signal.throwIfAborted();
    return [];
  }
}

/** A repository whose issues are disabled is refused like one that the user may not write to. */
async function hasNoIssues(target: Target): Promise<boolean> {
  try {
    return !read(repositorySchema, (await send(target, 'GET /repos/{owner}/{repo}')).data).has_issues;
  } catch {
    return false;
  }
}

const LABELS_PER_PAGE = 50;
const MAX_LABEL_PAGES = 20;
const LABEL_COLOUR = '#ededed';
/** Whose labels are kept. */
const MAX_REPOSITORIES = 256;

/** The labels of repositories and their organisations: issues name them by id. */
class Labels {
  private readonly known: Cache<Map<string, number>>;
  /** The server accepts two labels of one name, so they are created one after another. */
  private readonly inTurn = keyedMutex<string>();

  constructor(context: CacheContext) {
    // Another process may create a label meanwhile, and a JSON cannot be added to.
    this.known = cachesOf(context, 'forgejo')('labels', MAX_REPOSITORIES, { ...GROWING, local: true });
  }

  /**
   * The ids of labels, created in the repository if missing. A label that cannot be created is left out: it is missing from the
   * issue, and the engine reports it.
   */
  idsOf(target: Target, labels: readonly string[]): Promise<readonly number[]> {
    const name = nameOf(target);
    return this.inTurn(name, async () => {
      let ids: Map<string, number> | undefined;
      try {
        ids = await this.known.through(name, () => listLabels(target));
        for (const label of labels) {
          if (ids.has(label)) continue;
          const body = { name: label, color: LABEL_COLOUR, description: 'Set by Culprit' };
          const { data } = await send(target, 'POST /repos/{owner}/{repo}/labels', body);
          ids.set(label, read(labelSchema, data).id);
        }
      } catch {
        target.signal.throwIfAborted();
      }
      return labels.flatMap((label) => ids?.get(label) ?? []);
    });
  }

  /** Reads them again the next time. */
  async forget(target: Target): Promise<void> {
    await this.known.delete(nameOf(target));
  }
}

const nameOf = ({ owner, repo }: Target) => `${owner}/${repo}`;

async function listLabels(target: Target): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const add = async (route: string, others: { readonly repo?: undefined } = {}) => {
    for (let page = 1; page <= MAX_LABEL_PAGES; page += 1) {
      const { data } = await send(target, route, { ...others, page, limit: LABELS_PER_PAGE });
      const labels = read(v.array(labelSchema), data);
      for (const label of labels) if (!ids.has(label.name)) ids.set(label.name, label.id);
      // This listing has no link to the next page, and a server may allow fewer entries.
      if (labels.length === 0) break;
    }
  };
  await add('GET /repos/{owner}/{repo}/labels');
  // 404: a person owns the repository. 403: the token may not read organisations, so their labels are not known.
  await add('GET /orgs/{owner}/labels', { repo: undefined }).catch((error) => {
    if (![403, 404].includes(requestFailure(error).status)) throw error;
  });
  return ids;
}
