import type { CommitRange } from '@culprit/core';
import { read } from '../shared/read-answer.js';
import { ask, type Target } from './ask.js';
import { unreadable } from './errors.js';
import { iso, titleOf } from './map.js';
import { commits } from './schema.js';

const PER_PAGE = 100;

/** See `Ancestry.range`. A range of revisions that GitLab does not have is empty there, so the caller checks both. */
export async function commitRange(
  target: Target,
  from: string,
  to: string,
  most: number,
): Promise<CommitRange> {
  const found: CommitRange['commits'][number][] = [];
  for (let page = 1; found.length <= most; page++) {
    const { data } = await ask(target, 'GET /projects/{id}/repository/commits', {
      ref_name: `${from}..${to}`,
      per_page: PER_PAGE,
      page,
    });
    const listed = read(commits, data, unreadable);
    found.push(
      ...listed.map(({ id, committed_date, message }) => ({
        sha: id,
        committed_at: iso(committed_date),
        title: titleOf(message),
      })),
    );
    if (listed.length < PER_PAGE) break;
  }
  return { commits: found.slice(0, most), more: found.length > most };
}
