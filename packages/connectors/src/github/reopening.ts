import { CulpritError, hasMarker, type PublishedComment, type Reopening } from '@culprit/core';
import * as v from 'valibot';
import { reopenRefused } from '../shared/reopen-refused.js';
import { type RepositoryName, repositoryName } from './ask.js';
import type { GithubClient } from './client.js';
import { commentPages } from './comments.js';
import { codeHostError, type HttpFailure, httpFailure, publishError } from './errors.js';
import { refusalOf } from './refusals.js';
import { type CommentObject, comment as commentSchema } from './schema.js';

/** Comments on issues, and opens and closes them. Never repeats a POST; the engine decides about retries. */
export function githubReopening(
  client: GithubClient,
  ownLogin: (target: RepositoryName) => Promise<string>,
): Reopening {
  return {
    find: async (repository, number, marker, since, signal) => {
      const target = repositoryName(client, repository, signal);
      const creator = await ownLogin(target);
      // A marker can be copied from a public comment, so the author counts, too.
      for await (const comments of commentPages(target, { number, since }, unlisted(target, number))) {
        const found = comments.find((one) => isBy(one, creator) && hasMarker(one.body ?? '', marker));
        if (found) return mapComment(found);
      }
      return null;
    },
    comment: (repository, number, body, signal) =>
      postComment(repositoryName(client, repository, signal), number, body),
    open: (repository, number, signal) =>
      setState(repositoryName(client, repository, signal), number, { state: 'open' }),
    close: (repository, number, signal) => {
      const completed = { state: 'closed', state_reason: 'completed' } as const;
      return setState(repositoryName(client, repository, signal), number, completed);
    },
  };
}

type IssueState =
  | { readonly state: 'open' }
  | { readonly state: 'closed'; readonly state_reason: 'completed' };

/** GitHub changes nothing of an issue that is in this state. */
async function setState(
  { client, at, repository }: RepositoryName,
  number: number,
  state: IssueState,
): Promise<void> {
  try {
    await client.rest.issues.update({ ...at, issue_number: number, ...state });
  } catch (error) {
    const failure = httpFailure(error);
    const gone = refusedOf(failure, repository, number);
    throw gone ?? codeHostError(failure, repository, 'Issues: write', Date.now());
  }
}

/** The error if comments cannot be listed. */
function unlisted({ client, at, repository }: RepositoryName, number: number) {
  return async (error: unknown): Promise<CulpritError> => {
    const failure = httpFailure(error);
    const hidden = () => client.rest.issues.listForRepo({ ...at, per_page: 1 });
    const fault = failure.status === 404 ? await hidden().then(() => failure, httpFailure) : failure;
    const gone = fault === failure ? refusedOf(failure, repository, number) : null;
    return gone ?? codeHostError(fault, repository, 'Issues: read', Date.now());
  };
}

async function postComment(
  { client, at, repository }: RepositoryName,
  number: number,
  body: string,
): Promise<PublishedComment> {
  const made = client.rest.issues.createComment({ ...at, issue_number: number, body });
  const answer = await made.catch((error: unknown) => {
    const failure = httpFailure(error);
    const gone = refusedOf(failure, repository, number);
    throw gone ?? publishError(failure, repository, Date.now(), 'comment');
  });
  const parsed = v.safeParse(commentSchema, answer.data);
  if (answer.status === 201 && parsed.success) return mapComment(parsed.output);
  const detail = `GitHub returned ${answer.status} with an unreadable body. The comment may exist; the comment list is checked next.`;
  throw new CulpritError('publish_ambiguous', detail);
}

/** If the issue itself is why GitHub refuses; `null` for any other failure. */
function refusedOf(failure: HttpFailure, repository: string, number: number): CulpritError | null {
  const why = whyRefused(failure, repository);
  if (why === null) return null;
  return reopenRefused(repository, number, why);
}

function whyRefused(failure: HttpFailure, repository: string): string | null {
  const { status, message, unsent } = failure;
  if (unsent !== undefined || refusalOf(failure, repository) !== null) return null;
  if (status === 404) return 'GitHub does not show it, so it was deleted or transferred';
  if (status === 410) return 'it was deleted or transferred';
  return status === 403 && /issue is locked/i.test(message) ? 'it is locked' : null;
}

function isBy({ user }: CommentObject, login: string): boolean {
  return user?.login.toLowerCase() === login.toLowerCase();
}

function mapComment({ html_url, created_at, body }: CommentObject): PublishedComment {
  return { url: html_url, created_at: new Date(created_at).toISOString(), body: body ?? '' };
}
