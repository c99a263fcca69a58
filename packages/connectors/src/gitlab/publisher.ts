import type { IssueToPublish, PublishedComment, PublishedIssue, Publisher } from '@culprit/core/connector';
import * as v from 'valibot';
import type { Parameters, RestAnswer } from '../shared/hosts/client.js';
import { iso } from '../shared/hosts/code-host.js';
import { type HttpFailure, RequestFailure, reopenRefused, requestFailure } from '../shared/hosts/errors.js';
import { RestPublisher } from '../shared/hosts/publisher.js';
import {
  ask,
  askOrNull,
  errors,
  type GitlabClient,
  pages,
  read,
  send,
  type Target,
  targetOf,
} from './ask.js';
import {
  type IssueObject,
  issue as issueSchema,
  issues as issuesSchema,
  mapIssue,
  mapNote,
  mergeRequests,
  movedIssue,
  type NoteObject,
  note as noteSchema,
  notes as notesSchema,
  project as projectSchema,
  toStored,
  user,
  users,
} from './schema.js';

const PER_PAGE = 100;
/** Moves of one issue that are followed. */
const MAX_HOPS = 3;
/** REST shows an issue by its global number only to administrators. */
const MOVED_ISSUE = `query MovedIssue($id: IssueID!) { issue(id: $id) { reference(full: true) } }`;

/** `issue_url`: of its issue. */
type Note = NoteObject & { readonly issue_url: string };

/** Issues and their notes, by the numbers of accounts. */
export class GitlabPublisher extends RestPublisher<Target, IssueObject, Note, number> {
  protected readonly schema = issueSchema;
  /** An issue has had several assignees, which takes a paid plan. GitLab shows the plan only to owners. */
  private keepsSeveral = false;

  constructor(
    private readonly client: GitlabClient,
    private readonly confidential: boolean,
  ) {
    super(errors);
  }

  protected targetOf(repository: string, signal: AbortSignal): Target {
    return targetOf(this.client, repository, signal);
  }

  protected async author(target: Target): Promise<number> {
    return read(user, (await ask(target, 'GET /user', { id: undefined })).data).id;
  }

  protected async *issues(target: Target, author: number, since: string) {
    const order = {
      state: 'all',
      scope: 'all',
      author_id: author,
      created_after: iso(since),
      order_by: 'created_at',
      sort: 'desc',
      per_page: PER_PAGE,
    };
    for await (const { data } of pages(target, 'GET /projects/{id}/issues', order))
      yield read(issuesSchema, data);
  }

  protected isOwn(issue: IssueObject, author: number): boolean {
    return (issue.author?.id ?? author) === author;
  }

  protected bodyOf(object: IssueObject | Note): string {
    return ('body' in object ? object.body : (object as IssueObject).description) ?? '';
  }

  /** Who has no account, and who is one too many without a paid plan. */
  protected override async dropped(target: Target, assignees: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(assignees.map((name) => accountId(target, name)));
    const unknown = assignees.filter((_, index) => found[index] === null);
    const [, ...others] = assignees.filter((_, index) => found[index] !== null);
    return [
      ...unknown.map((name) => `assignee "${name}" will be dropped: GitLab has no such user`),
      ...(this.keepsSeveral ? [] : others).map(
        (name) => `assignee "${name}" may be dropped: without a paid plan, GitLab keeps one assignee`,
      ),
    ];
  }

  /** GitLab drops whom it cannot assign without telling before. */
  protected async unassignable(): Promise<readonly string[]> {
    return [];
  }

  protected async submit(target: Target, issue: IssueToPublish): Promise<RestAnswer> {
    const { title, body, labels, assignees } = issue;
    const people = await Promise.all(assignees.map((name) => accountId(target, name).catch(() => null)));
    return write(target, 'POST /projects/{id}/issues', {
      title,
      description: toStored(body),
      ...(labels.length === 0 ? {} : { labels }),
      ...(assignees.length === 0 ? {} : { assignee_ids: people.flatMap((id) => id ?? []) }),
      ...(this.confidential ? { confidential: true } : {}),
    });
  }

  protected shown(issue: IssueObject): PublishedIssue {
    this.keepsSeveral ||= (issue.assignees ?? []).length > 1;
    const open = this.confidential && issue.confidential !== true;
    return { ...mapIssue(issue), ...(open ? { divergence: ['the issue is not confidential'] } : {}) };
  }

  protected askIssue(target: Target, number: number): Promise<RestAnswer> {
    return send(target, 'GET /projects/{id}/issues/{issue_iid}', { issue_iid: number });
  }

  protected probe(target: Target): Promise<unknown> {
    return send(target, 'GET /projects/{id}', {});
  }

  override readonly read: Publisher['read'] = async (repository, number, signal) => {
    const target = this.targetOf(repository, signal);
    const place = await this.placeOf(target, number, MAX_HOPS);
    if (place === null) return null;
    const shown = this.shown(place.issue);
    if (shown.state === 'open' || shown.closed_as) return shown;
    return { ...shown, fix: await fixOf(place.target, place.number) };
  };

  /** An issue where it is now. `null`: deleted, or moved out of sight. */
  private async placeOf(target: Target, number: number, hops: number): Promise<IssuePlace | null> {
    const issue = await this.issueOrNull(target, number);
    if (!issue?.moved_to_id || hops === 0) return issue && { issue, target, number };
    const id = `gid://gitlab/Issue/${issue.moved_to_id}`;
    const data = await target.client.graphql(MOVED_ISSUE, { id }, target.signal).catch(() => null);
    const found = v.safeParse(movedIssue, data);
    const reference = found.success ? found.output.issue.reference : '';
    const [, project, at] = /^([^#]+)#(\d+)$/.exec(reference) ?? [];
    if (project === undefined) return null;
    return this.placeOf({ ...target, id: project, repository: `gitlab:${project}` }, Number(at), hops - 1);
  }

  /** Newest first: the comment is new. */
  protected async *comments(target: Target, number: number) {
    const issue_url = await this.addressOf(target, number);
    const order = { issue_iid: number, order_by: 'created_at', sort: 'desc', per_page: PER_PAGE };
    for await (const { data } of pages(target, 'GET /projects/{id}/issues/{issue_iid}/notes', order))
      yield read(notesSchema, data).map((note) => ({ ...note, issue_url }));
  }

  protected isOwnComment({ author, system }: Note, own: number): boolean {
    return author?.id === own && system !== true;
  }

  protected shownComment(note: Note): PublishedComment {
    return mapNote(note, note.issue_url);
  }

  protected async post(target: Target, number: number, body: string): Promise<PublishedComment> {
    const url = await this.addressOf(target, number).catch(async (error: unknown) => {
      throw (await this.refusal(target, number, error)) ?? errors.codeHostError(error, target);
    });
    const note = { issue_iid: number, body: toStored(body) };
    const answer = await write(target, 'POST /projects/{id}/issues/{issue_iid}/notes', note);
    return mapNote(errors.created(noteSchema, answer, 'comment'), url);
  }

  /** The page of an issue that is still here. */
  private async addressOf(target: Target, number: number): Promise<string> {
    const { moved_to_id, web_url } = await this.issue(target, number);
    if (moved_to_id) throw reopenRefused(target.repository, number, 'it was moved to another project');
    return web_url;
  }

  protected setState(target: Target, number: number, state: 'open' | 'closed'): Promise<unknown> {
    const state_event = state === 'open' ? 'reopen' : 'close';
    return write(target, 'PUT /projects/{id}/issues/{issue_iid}', { issue_iid: number, state_event });
  }

  protected async whyRefused(
    target: Target,
    number: number,
    { status }: HttpFailure,
  ): Promise<string | null> {
    if (status === 404) {
      const project = await this.probe(target).catch(() => null);
      return project === null ? null : 'GitLab does not show it, so it was deleted';
    }
    const issue = status === 403 ? await this.issue(target, number).catch(() => null) : null;
    return issue?.discussion_locked === true ? 'its discussion is locked' : null;
  }
}

/** The number of a user, whom GitLab assigns by it; `null`: there is none. */
async function accountId(target: Target, username: string): Promise<number | null> {
  const answer = await ask(target, 'GET /users', { id: undefined, username });
  return read(users, answer.data)[0]?.id ?? null;
}

/**
 * The merge request that closes the issue and was merged last. `null`: none was merged, or the token may not see it. A commit that
 * closed the issue is not in the API's answer.
 */
async function fixOf(target: Target, number: number): Promise<NonNullable<PublishedIssue['fix']> | null> {
  const route = 'GET /projects/{id}/issues/{issue_iid}/closed_by';
  const answer = await askOrNull(target, route, { issue_iid: number });
  const listed = answer === null ? [] : read(mergeRequests, answer.data);
  const merged = listed.flatMap((one) => {
    const commit = one.merge_commit_sha ?? one.squash_commit_sha ?? one.sha ?? null;
    return one.state === 'merged' && commit !== null ? [{ ...one, commit, at: one.merged_at ?? '' }] : [];
  });
  const [last] = merged.sort((a, b) => (a.at < b.at ? 1 : -1));
  return last ? { commit: last.commit, pull_request: { number: last.iid, url: last.web_url } } : null;
}

/**
 * One write. GitLab refuses it under the former path of a moved project, and did nothing then, so it is sent again with the
 * project's number, which a read finds. A refusal that the project itself explains rejects with that explanation.
 */
async function write(target: Target, route: string, parameters: Parameters): Promise<RestAnswer> {
  try {
    return await send(target, route, parameters);
  } catch (error) {
    const failure = requestFailure(error);
    const { status, message } = failure;
    const moved = status === 405 && /moved projects/i.test(message);
    const unexplained = status === 403 && !/insufficient_scope/.test(message);
    if (!moved && !unexplained) throw error;
    const answer = await send(target, 'GET /projects/{id}', {}).catch(() => null);
    if (answer === null) throw error;
    const project = read(projectSchema, answer.data);
    if (moved) return send(target, route, { id: project.id, ...parameters });
    const why = whyForbidden(project, target.repository);
    throw why === null ? error : new RequestFailure({ ...failure, message: why });
  }
}

/** What about a project forbids issues for everybody; `null`: nothing, so a role is missing. */
function whyForbidden(
  { archived, issues_access_level }: v.InferOutput<typeof projectSchema>,
  repository: string,
): string | null {
  if (archived === true)
    return `${repository} is archived, so it accepts no issues. Unarchive it, or publish to another project.`;
  return issues_access_level === 'disabled'
    ? `Issues are disabled in ${repository}. Enable them in its settings.`
    : null;
}

/** An issue, and where it is now. */
interface IssuePlace {
  readonly issue: IssueObject;
  readonly target: Target;
  readonly number: number;
}
