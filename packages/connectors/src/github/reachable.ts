import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { read } from '../shared/read-answer.js';
import { askGraphql, type RepositoryName, unreadable } from './ask.js';
import { isResourceLimit } from './blame.js';

import { REFS_QUERY } from './queries.js';
import { comparison, refsPage } from './schema.js';

/** Pages of branches, and of tags, that are compared: 200 of each. */
const MOST_PAGES = 4;

/** Whether a comparison of a branch or tag with a commit says that the branch or tag contains the commit. */
export function isReachable(compared: unknown): boolean {
  const parsed = v.safeParse(comparison, compared);
  return parsed.success && ['BEHIND', 'IDENTICAL'].includes(parsed.output?.status ?? '');
}

/** Whether one of the first 200 branches or the newest 200 tags contains the commit. */
export async function isInBranchOrTag(target: RepositoryName, sha: string): Promise<boolean> {
  for (const prefix of ['refs/heads/', 'refs/tags/']) {
    let after: string | null = null;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { data, errors } = await askGraphql(target, REFS_QUERY, { prefix, sha, after });
      if (isResourceLimit(errors)) {
        const detail = `GitHub could not compare ${sha} with the branches and tags.`;
        throw new CulpritError('code_host_unavailable', detail);
      }
      const { refs } = read(refsPage, data?.repository, unreadable);
      if (refs?.nodes?.some((ref) => isReachable(ref?.compare))) return true;
      if (!refs?.pageInfo.hasNextPage) break;
      after = refs.pageInfo.endCursor ?? null;
    }
  }
  return false;
}
