import type { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { read } from '../shared/read-answer.js';
import { type RepositoryName, unreadable } from './ask.js';
import { type CommentObject, comment } from './schema.js';

const PER_PAGE = 100;

/**
 * The comments of an issue, oldest first, in pages. `since`: ISO 8601, only those changed since then. `failureOf`: the error that a
 * failed request becomes.
 */
export async function* commentPages(
  { client, at }: RepositoryName,
  { number, since }: { readonly number: number; readonly since?: string },
  failureOf: (error: unknown) => CulpritError | Promise<CulpritError>,
): AsyncGenerator<readonly CommentObject[]> {
  const query = { ...at, issue_number: number, per_page: PER_PAGE, ...(since && { since }) };
  const pages = client.pages(client.rest.issues.listComments, query)[Symbol.asyncIterator]();
  for (;;) {
    const page = await pages.next().catch(async (error: unknown) => {
      throw await failureOf(error);
    });
    if (page.done) return;
    yield read(v.array(comment), page.value.data, unreadable);
  }
}
