import {
  type CulpritError,
  hasMarker,
  type IssueToPublish,
  isCulpritError,
  type PublishedComment,
  type PublishedIssue,
  type Publisher,
} from '@culprit/core/connector';
import type { ClosedAs, Reopening } from '@culprit/core/internal/ports/publisher';
import { once } from '@culprit/core/internal/resilience/once';
import * as v from 'valibot';
import { iso } from './code-host.js';
import { type HostErrors, type HttpFailure, RequestFailure, reopenRefused, type Subject } from './errors.js';

interface Listed {
  readonly created_at: string;
}
interface Answer {
  readonly status: number;
  readonly data: unknown;
}

/** The clock of a list may be rounded to seconds. */
const ROUNDED_MS = 1_000;

/**
 * Lists, creates and comments on issues with one token, opens and closes them. Never repeats a creation; the engine decides about
 * retries. `Author`: how the host identifies an account.
 */
export abstract class RestPublisher<
  Target extends Subject,
  Issue extends Listed,
  Comment,
  Author extends string | number,
> implements Publisher
{
  /** Of the token. */
  protected readonly own = once((target: Target) => this.author(target), { retryFailed: true });

  constructor(private readonly errors: HostErrors) {}

  protected abstract targetOf(repository: string, signal: AbortSignal): Target;
  protected abstract author(target: Target): Promise<Author>;
  /** The author's issues, newest first, so that a new one is on the first page. Never by search: its index lags. */
  protected abstract issues(target: Target, author: Author, since: string): AsyncIterable<readonly Issue[]>;
  /** Whether the author wrote an issue: a marker can be copied from a public one, and a proxy may drop a parameter. */
  protected abstract isOwn(issue: Issue, author: Author): boolean;
  protected abstract bodyOf(object: Issue | Comment): string;
  protected abstract shown(issue: Issue): PublishedIssue;
  protected abstract readonly schema: v.GenericSchema<unknown, Issue>;
  protected abstract askIssue(target: Target, number: number): Promise<Answer>;
  /** Rejects if the token does not see the repository. */
  protected abstract probe(target: Target): Promise<unknown>;
  protected abstract comments(
    target: Target,
    number: number,
    since: string,
  ): AsyncIterable<readonly Comment[]>;
  protected abstract isOwnComment(comment: Comment, author: Author): boolean;
  protected abstract shownComment(comment: Comment): PublishedComment;
  /** One attempt. */
  protected abstract post(target: Target, number: number, body: string): Promise<PublishedComment>;
  /** Changes nothing of an issue that is in this state. */
  protected abstract setState(target: Target, number: number, state: 'open' | 'closed'): Promise<unknown>;
  /** If the issue itself is why the host refuses: the end of a sentence. `null`: any other failure. */
  protected abstract whyRefused(
    target: Target,
    number: number,
    failure: HttpFailure,
  ): Promise<string | null> | string | null;

  /** Those of the assignees whom the host cannot assign. A failed question expects nothing. */
  protected abstract unassignable(target: Target, assignees: readonly string[]): Promise<readonly string[]>;
  /** One creation. It may be sent again without what the host rejects whole: nothing was created then. */
  protected abstract submit(target: Target, issue: IssueToPublish): Promise<Answer>;

  /** What would be dropped, before anybody signs. */
  readonly expect: NonNullable<Publisher['expect']> = async (issue, signal) =>
    this.dropped(this.targetOf(issue.repository, signal), issue.assignees);

  protected async dropped(target: Target, assignees: readonly string[]): Promise<readonly string[]> {
    const foreign = await this.unassignable(target, assignees);
    const host = this.errors.name.replace(/^The /, 'the ');
    const why = `${host} cannot assign them in ${target.repository}`;
    return foreign.map((login) => `assignee "${login}" will be dropped: ${why}`);
  }

  readonly create: Publisher['create'] = async (issue, signal) => {
    const target = this.targetOf(issue.repository, signal);
    const foreign = new Set(await this.unassignable(target, issue.assignees));
    const wanted = { ...issue, assignees: issue.assignees.filter((login) => !foreign.has(login)) };
    const answer = await this.submit(target, wanted).catch((error: unknown) => {
      throw this.errors.publishError(error, issue.repository, 'issue');
    });
    const made = this.shown(this.errors.created(this.schema, answer, 'issue'));
    return this.complete(target, made, wanted);
  };

  /** Adds what the host dropped. What fails is missing from the issue, and the engine reports it. */
  protected async complete(
    _target: Target,
    made: PublishedIssue,
    _wanted: IssueToPublish,
  ): Promise<PublishedIssue> {
    return made;
  }

  protected async issue(target: Target, number: number): Promise<Issue> {
    return this.errors.read(this.schema, (await this.askIssue(target, number)).data);
  }

  readonly find: Publisher['find'] = async (repository, marker, since, signal) => {
    const target = this.targetOf(repository, signal);
    const author = await this.own(target);
    // Some hosts compare `since` with the time of the last change, so older issues follow.
    const start = Date.parse(since) - ROUNDED_MS;
    for await (const issues of this.issues(target, author, since)) {
      const found = issues.find((one) => this.isOwn(one, author) && hasMarker(this.bodyOf(one), marker));
      if (found) return this.shown(found);
      if (issues.some(({ created_at }) => Date.parse(created_at) < start)) return null;
    }
    return null;
  };

  readonly read: Publisher['read'] = async (repository, number, signal) => {
    const target = this.targetOf(repository, signal);
    const issue = await this.issueOrNull(target, number);
    return issue && this.withFix(target, this.shown(issue));
  };

  /** Adds what closed it, where the host says so. */
  protected async withFix(_target: Target, issue: PublishedIssue): Promise<PublishedIssue> {
    return issue;
  }

  /** Other failures than 404 that an issue has which was deleted. */
  protected isGone(_failure: HttpFailure, _target: Target): boolean {
    return false;
  }

  /** `null`: it was deleted or transferred out of sight, unless the repository itself is hidden. */
  protected async issueOrNull(target: Target, number: number): Promise<Issue | null> {
    try {
      return await this.issue(target, number);
    } catch (error) {
      const failure = error instanceof RequestFailure ? error.failure : null;
      if (failure && this.isGone(failure, target)) return null;
      const { codeHostError, answered, needs } = this.errors;
      if (failure?.status !== 404) throw codeHostError(error, target, needs.issues);
      await answered(target, this.probe(target), needs.issues);
      return null;
    }
  }

  readonly reopening: Reopening = {
    find: async (repository, number, marker, since, signal) => {
      const target = this.targetOf(repository, signal);
      const author = await this.own(target);
      try {
        for await (const comments of this.comments(target, number, since)) {
          const found = comments.find(
            (one) => this.isOwnComment(one, author) && hasMarker(this.bodyOf(one), marker),
          );
          if (found) return this.shownComment(found);
        }
        return null;
      } catch (error) {
        const refused = await this.refusal(target, number, error);
        throw refused ?? this.errors.codeHostError(error, target, this.errors.needs.issues);
      }
    },
    comment: async (repository, number, body, signal) => {
      const target = this.targetOf(repository, signal);
      try {
        return await this.post(target, number, body);
      } catch (error) {
        if (isCulpritError(error)) throw error;
        const refused = await this.refusal(target, number, error);
        throw refused ?? this.errors.publishError(error, repository, 'comment');
      }
    },
    open: async (repository, number, signal) =>
      this.change(this.targetOf(repository, signal), number, 'open'),
    close: async (repository, number, signal) =>
      this.change(this.targetOf(repository, signal), number, 'closed'),
  };

  private async change(target: Target, number: number, state: 'open' | 'closed'): Promise<void> {
    try {
      await this.setState(target, number, state);
    } catch (error) {
      const refused = await this.refusal(target, number, error);
      throw refused ?? this.errors.codeHostError(error, target, this.errors.needs.write);
    }
  }

  protected async refusal(target: Target, number: number, error: unknown): Promise<CulpritError | null> {
    if (!(error instanceof RequestFailure)) return null;
    const why = await this.whyRefused(target, number, error.failure);
    return why === null ? null : reopenRefused(target.repository, number, why);
  }
}

/** Whether two names of one account or label are the same to a host. */
export function isSameName(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

/** Issues and comments as GitHub's interface has them, and those of Forgejo and Gitea, which follow it. */
export const account = v.object({ login: v.string() });

export const issueEntries = {
  number: v.number(),
  html_url: v.string(),
  created_at: v.string(),
  state: v.string(),
  closed_at: v.nullish(v.string()),
  title: v.string(),
  user: v.nullish(account),
  body: v.nullish(v.string(), ''),
  assignees: v.nullish(v.array(account), []),
};
const issue = v.object(issueEntries);

export const comment = v.object({
  html_url: v.string(),
  created_at: v.string(),
  updated_at: v.nullish(v.string()),
  user: v.nullish(account),
  body: v.nullish(v.string(), ''),
});
export type CommentObject = v.InferOutput<typeof comment>;

/** `closedAs`: of a closed issue. */
export function mapIssue(
  object: v.InferOutput<typeof issue>,
  labels: readonly string[],
  locked: boolean,
  closedAs: ClosedAs | null,
): PublishedIssue {
  const isClosed = object.state === 'closed';
  return {
    number: object.number,
    url: object.html_url,
    created_at: iso(object.created_at),
    state: isClosed ? 'closed' : 'open',
    closed_as: isClosed ? closedAs : null,
    ...(object.closed_at ? { closed_at: iso(object.closed_at) } : {}),
    ...(locked ? { locked } : {}),
    title: object.title,
    body: object.body ?? '',
    labels,
    assignees: (object.assignees ?? []).map(({ login }) => login),
  };
}

export function mapComment({ html_url, created_at, body }: CommentObject): PublishedComment {
  return { url: html_url, created_at: iso(created_at), body: body ?? '' };
}

/** Names without spaces, hyphens, apostrophes and scope. The first two are among the labels that Forgejo and Gitea propose. */
const NOT_PLANNED = ['wontfix', 'invalid', 'wontdo', 'notplanned', 'archived'];
const DUPLICATE = ['duplicate'];

/**
 * Why an issue is closed, on systems that do not say it: by its labels, such as `wontfix`, `Reviewed/Won't Fix` or `resolution::duplicate`.
 * `null`: they do not say it.
 */
export function closedByLabel(labels: readonly string[]): ClosedAs | null {
  const names = labels.map((label) =>
    label
      .replace(/^.*(?:\/|::)/, '')
      .toLowerCase()
      .replace(/[^\p{L}]/gu, ''),
  );
  if (names.some((name) => DUPLICATE.includes(name))) return 'duplicate';
  return names.some((name) => NOT_PLANNED.includes(name)) ? 'not_planned' : null;
}
