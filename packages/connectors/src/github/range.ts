import type { CommitRange } from '@culprit/core';
import { read } from '../shared/read-answer.js';
import { answeredOrNull, type RepositoryName, unreadable } from './ask.js';
import { comparedRange } from './schema.js';

const PER_PAGE = 100;
const FULL_SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** See `Ancestry.range`. GitHub lists the oldest commits first, so the last pages are read. */
export async function commitRange(
  target: RepositoryName,
  from: string,
  to: string,
  most: number,
): Promise<CommitRange | null> {
  if (!FULL_SHA.test(from) || !FULL_SHA.test(to)) return null;
  const pageOf = async (page: number) => {
    const basehead = `${from}...${to}`;
    const compare = target.client.rest.repos.compareCommitsWithBasehead;
    const answer = await answeredOrNull(
      target,
      compare({ ...target.at, basehead, per_page: PER_PAGE, page }),
    );
    return answer && read(comparedRange, answer.data, unreadable);
  };
  const first = await pageOf(1);
  if (first === null) return null;
  const pages = Math.ceil(first.total_commits / PER_PAGE);
  const from1 = Math.max(2, pages - Math.ceil(most / PER_PAGE));
  const listed = [...first.commits];
  for (let page = from1; page <= pages; page++) listed.push(...((await pageOf(page))?.commits ?? []));
  const commits = listed.reverse().map(({ sha, commit }) => ({
    sha,
    committed_at: new Date(commit.committer?.date ?? 0).toISOString(),
    title: commit.message.split('\n', 1)[0] ?? '',
  }));
  return { commits: commits.slice(0, most), more: first.total_commits > most };
}
