import type { PublishedIssue } from '@culprit/core';
import { read } from '../shared/read-answer.js';
import { askOrNull, type Target } from './ask.js';

import { unreadable } from './errors.js';
import { mergeRequests } from './schema.js';

/**
 * The merge request that closes the issue and was merged last. `null`: none was merged, or the token may not see it. A commit that
 * closed the issue is not told by the API.
 */
export async function fixOf(
  target: Target,
  number: number,
): Promise<NonNullable<PublishedIssue['fix']> | null> {
  const answer = await askOrNull(target, 'GET /projects/{id}/issues/{issue_iid}/closed_by', {
    issue_iid: number,
  });
  const listed = answer === null ? [] : read(mergeRequests, answer.data, unreadable);
  const merged = listed.flatMap((one) => {
    const commit = one.merge_commit_sha ?? one.squash_commit_sha ?? one.sha ?? null;
    return one.state === 'merged' && commit !== null ? [{ ...one, commit, at: one.merged_at ?? '' }] : [];
  });
  const [last] = merged.sort((a, b) => (a.at < b.at ? 1 : -1));
  return last ? { commit: last.commit, pull_request: { number: last.iid, url: last.web_url } } : null;
}
