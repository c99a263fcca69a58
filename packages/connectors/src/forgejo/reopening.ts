import {
  CulpritError,
  hasMarker,
  isCulpritError,
  type PublishedComment,
  type Reopening,
} from '@culprit/core';
import * as v from 'valibot';
import { read } from '../shared/read-answer.js';
import { reopenRefused } from '../shared/reopen-refused.js';
import { type ForgejoClient, RequestFailure, repositoryPath } from './client.js';
import { repositoryName } from './config.js';
import { codeHostError, publishError, requestFailure, unreadable } from './errors.js';
import { commentSchema, mapComment } from './schema.js';

/** Comments on issues, and opens and closes them. Never repeats a POST; the engine decides about retries. */
export function forgejoReopening(
  client: ForgejoClient,
  ownLogin: (signal: AbortSignal) => Promise<string>,
): Reopening {
  const pathOf = (repository: string, number: number) =>
    `${repositoryPath(repositoryName(repository))}/issues/${Math.trunc(number)}`;

  /** The server answers 500 for comments of an issue that does not exist, so it is asked for first. */
  const demand = async (repository: string, number: number, signal: AbortSignal) => {
    try {
      await client.get(pathOf(repository, number), {}, signal);
    } catch (error) {
      throw refusedOf(error, repository, number) ?? error;
    }
  };

  return {
    async find(repository, number, marker, since, signal) {
      try {
        await demand(repository, number, signal);
        const creator = (await ownLogin(signal)).toLowerCase();
        // The comments are one page, oldest first.
        const { data } = await client.get(`${pathOf(repository, number)}/comments`, { since }, signal);
        const found = read(v.array(commentSchema), data, unreadable).find(
          ({ user, body }) => user?.login.toLowerCase() === creator && hasMarker(body ?? '', marker),
        );
        return found === undefined ? null : mapComment(found);
      } catch (error) {
        throw codeHostError(error, repository, signal);
      }
    },
    comment: (repository, number, body, signal) => postComment(repository, number, body, signal),
    open: (repository, number, signal) => setState(repository, number, 'open', signal),
    close: (repository, number, signal) => setState(repository, number, 'closed', signal),
  };

  /** Has no effect on an issue in this state. */
  async function setState(
    repository: string,
    number: number,
    state: 'open' | 'closed',
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await client.send('PATCH', pathOf(repository, number), { state }, signal);
    } catch (error) {
      throw refusedOf(error, repository, number) ?? codeHostError(error, repository, signal);
    }
  }

  async function postComment(
    repository: string,
    number: number,
    body: string,
    signal: AbortSignal,
  ): Promise<PublishedComment> {
    try {
      await demand(repository, number, signal);
    } catch (error) {
      if (isCulpritError(error)) throw error;
      // The POST itself tells more.
      signal.throwIfAborted();
    }
    try {
      const answer = await client.send('POST', `${pathOf(repository, number)}/comments`, { body }, signal);
      const parsed = v.safeParse(commentSchema, answer.data);
      if (answer.status === 201 && parsed.success) return mapComment(parsed.output);
      const detail = `The server returned ${answer.status} with an unreadable body. The comment may exist; the comment list is checked next.`;
      throw new CulpritError('publish_ambiguous', detail);
    } catch (error) {
      if (isCulpritError(error)) throw error;
      throw refusedOf(error, repository, number) ?? publishError(error, repository, 'comment');
    }
  }
}

/** If the issue itself is why the server refuses; `null` for any other failure. */
function refusedOf(error: unknown, repository: string, number: number): CulpritError | null {
  if (!(error instanceof RequestFailure)) return null;
  const { status, message } = requestFailure(error);
  const locked = status === 403 && /lock/i.test(message);
  if (status !== 404 && !locked) return null;
  const why = locked ? 'it is locked' : 'the server does not show it, so it was deleted';
  return reopenRefused(repository, number, why);
}
