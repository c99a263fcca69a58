import { CulpritError, hasMarker, type Reopening } from '@culprit/core';
import * as v from 'valibot';
import { read } from '../shared/read-answer.js';
import { reopenRefused } from '../shared/reopen-refused.js';
import { ask, nextPage, type Target, targetOf } from './ask.js';
import type { GitlabAnswer, GitlabClient, Parameters } from './client.js';
import { codeHostError, publishError, requestFailure, TO_READ, TO_WRITE, unreadable } from './errors.js';
import { mapNote } from './map.js';
import { write } from './project.js';
import type { RequestFailure } from './request-failure.js';
import {
  type IssueObject,
  issue as issueSchema,
  note as noteSchema,
  notes as notesSchema,
} from './schema.js';
import { toStored } from './stored-text.js';

const PER_PAGE = 100;

/** Comments on issues, and opens and closes them. Never repeats a comment; the engine decides about retries. */
export function gitlabReopening(client: GitlabClient, ownId: (target: Target) => Promise<number>): Reopening {
  return {
    find: async (repository, number, marker, _since, signal) => {
      const target = targetOf(client, repository, signal);
      const author = await ownId(target);
      const { web_url } = await issueAt(target, number);
      for (let next: Parameters | null = {}; next !== null; ) {
        const answer = await listNotes(target, number, next);
        const found = read(notesSchema, answer.data, unreadable).find(
          (one) => one.author?.id === author && one.system !== true && hasMarker(one.body ?? '', marker),
        );
        if (found) return mapNote(found, web_url);
        next = nextPage(answer);
      }
      return null;
    },
    comment: async (repository, number, body, signal) => {
      const target = targetOf(client, repository, signal);
      let answer: GitlabAnswer;
      let url: string;
      try {
        url = (await issueAt(target, number)).web_url;
        const parameters = { issue_iid: number, body: toStored(body) };
        answer = await write(target, 'POST /projects/{id}/issues/{issue_iid}/notes', parameters);
      } catch (error) {
        if (error instanceof CulpritError) throw error;
        const failure = requestFailure(error);
        throw (await refusedOf(target, number, failure)) ?? publishError(failure, repository, 'comment');
      }
      const parsed = v.safeParse(noteSchema, answer.data);
      if (answer.status === 201 && parsed.success) return mapNote(parsed.output, url);
      const detail = `GitLab returned ${answer.status} with an unreadable body. The comment may exist; the comment list is checked next.`;
      throw new CulpritError('publish_ambiguous', detail);
    },
    open: (repository, number, signal) => setState(targetOf(client, repository, signal), number, 'reopen'),
    close: (repository, number, signal) => setState(targetOf(client, repository, signal), number, 'close'),
  };
}

/** GitLab changes nothing of an issue that is in this state. */
async function setState(target: Target, number: number, state_event: 'reopen' | 'close'): Promise<void> {
  try {
    await write(target, 'PUT /projects/{id}/issues/{issue_iid}', { issue_iid: number, state_event });
  } catch (error) {
    const failure = requestFailure(error);
    throw (await refusedOf(target, number, failure)) ?? codeHostError(failure, target.repository, TO_WRITE);
  }
}

/** Newest first: the comment is new. */
function listNotes(target: Target, number: number, page: Parameters): Promise<GitlabAnswer> {
  return ask(target, 'GET /projects/{id}/issues/{issue_iid}/notes', {
    issue_iid: number,
    order_by: 'created_at',
    sort: 'desc',
    per_page: PER_PAGE,
    ...page,
  });
}

/** Rejects with `reopen_refused` if the issue is gone. */
async function issueAt(target: Target, number: number): Promise<IssueObject> {
  const { client, id, repository, signal } = target;
  try {
    const route = 'GET /projects/{id}/issues/{issue_iid}';
    const { data } = await client.rest(route, { id, issue_iid: number }, signal);
    const issue = read(issueSchema, data, unreadable);
    if (issue.moved_to_id) throw refused(target, number, 'it was moved to another project');
    return issue;
  } catch (error) {
    if (error instanceof CulpritError) throw error;
    signal.throwIfAborted();
    const failure = requestFailure(error);
    throw (await refusedOf(target, number, failure)) ?? codeHostError(failure, repository, TO_READ);
  }
}

/** If the issue itself is why GitLab refuses; `null` for any other failure. */
async function refusedOf(
  target: Target,
  number: number,
  failure: RequestFailure,
): Promise<CulpritError | null> {
  const { client, id, signal } = target;
  if (failure.status === 404) {
    const project = await client.rest('GET /projects/{id}', { id }, signal).catch(() => null);
    return project === null ? null : refused(target, number, 'GitLab does not show it, so it was deleted');
  }
  if (failure.status !== 403) return null;
  const route = 'GET /projects/{id}/issues/{issue_iid}';
  const answer = await client.rest(route, { id, issue_iid: number }, signal).catch(() => null);
  const found = v.safeParse(issueSchema, answer?.data);
  const locked = found.success && found.output.discussion_locked === true;
  return locked ? refused(target, number, 'its discussion is locked') : null;
}

function refused({ repository }: Target, number: number, why: string): CulpritError {
  return reopenRefused(repository, number, why);
}
