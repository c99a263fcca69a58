import type { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { read } from '../shared/read-answer.js';
import { type RepositoryName, unreadable } from './ask.js';
import type { RestAnswer } from './client.js';
import { nextPage, type Page } from './pages.js';
import { type CommentObject, comment } from './schema.js';

const PER_PAGE = 100;
const ROUTE = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';

/**
 * The comments of an issue, oldest first, in pages. `since`: ISO 8601, only those changed since then. `failureOf`: the error that a
 * failed request becomes.
 */
export async function* commentPages(
  { client, owner, repo, signal }: RepositoryName,
  { number, since }: { readonly number: number; readonly since?: string },
  failureOf: (error: unknown) => CulpritError | Promise<CulpritError>,
): AsyncGenerator<readonly CommentObject[]> {
  const query = { owner, repo, issue_number: number, per_page: PER_PAGE, ...(since && { since }) };
  for (let next: Page | null = {}; next !== null; ) {
    let answer: RestAnswer;
    try {
      answer = await client.rest(ROUTE, { ...query, ...next }, signal);
    } catch (error) {
      throw await failureOf(error);
    }
    yield read(v.array(comment), answer.data, unreadable);
    next = nextPage(answer);
  }
}
