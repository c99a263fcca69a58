import { type CommitRange, CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { FULL_SHA } from '../shared/hosts/code-host.js';
import { askGraphql, isResourceLimit, type Target } from './ask.js';
import type { GraphqlAnswer } from './client.js';
import { answeredOrNull, read } from './errors.js';
import { REFS_QUERY } from './queries.js';
import { comparedCommits, comparedRange, comparison, refsPage } from './schema.js';

/** Whether a comparison of a branch or tag with a commit says that the branch or tag contains the commit. */
export function isReachable(compared: unknown): boolean {
  const parsed = v.safeParse(comparison, compared);
  return parsed.success && ['BEHIND', 'IDENTICAL'].includes(parsed.output?.status ?? '');
}

/** Pages of branches, and of tags, that are compared: 200 of each. */
const MOST_PAGES = 4;

/** Whether one of the first 200 branches or the newest 200 tags contains the commit. */
export async function isInBranchOrTag(target: Target, sha: string): Promise<boolean> {
  for (const prefix of ['refs/heads/', 'refs/tags/']) {
    let after: string | null = null;
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer: GraphqlAnswer = await askGraphql(target, REFS_QUERY, { prefix, sha, after });
      if (isResourceLimit(answer.errors)) {
        const detail = `GitHub could not compare ${sha} with the branches and tags.`;
        throw new CulpritError('code_host_unavailable', detail);
      }
      const { refs } = read(refsPage, answer.data?.repository);
      if (refs.nodes.some(({ compare }) => isReachable(compare))) return true;
      after = refs.next;
      if (after === null) break;
    }
  }
  return false;
}

const PER_PAGE = 100;

/**
 * Whether one commit contains another: it is a descendant of it, or the same. `null` if GitHub does not have both. The second page has
 * no files, which the first one would list.
 */
export async function containsCommit(target: Target, sha: string, commit: string): Promise<boolean | null> {
  if (sha === commit) return true;
  const of = { ...target.at, basehead: `${commit}...${sha}`, per_page: 1, page: 2 };
  const compare = target.client.rest.repos.compareCommitsWithBasehead;
  const answer = await answeredOrNull(target, compare(of));
  if (answer === null) return null;
  const { status } = read(comparedCommits, answer.data);
  return status === 'ahead' || status === 'identical';
}

/** See `Ancestry.range`. GitHub lists the oldest commits first, so the last pages are read. */
export async function commitRange(
  target: Target,
  from: string,
  to: string,
  most: number,
): Promise<CommitRange | null> {
  if (!FULL_SHA.test(from) || !FULL_SHA.test(to)) return null;
  const compare = target.client.rest.repos.compareCommitsWithBasehead;
  const pageOf = async (page: number) => {
    const of = { ...target.at, basehead: `${from}...${to}`, per_page: PER_PAGE, page };
    const answer = await answeredOrNull(target, compare(of));
    return answer && read(comparedRange, answer.data);
  };
  const first = await pageOf(1);
  if (first === null) return null;
  const pages = Math.ceil(first.total_commits / PER_PAGE);
  const next = Math.max(2, pages - Math.ceil(most / PER_PAGE));
  const listed = [...first.commits];
  for (let page = next; page <= pages; page++) listed.push(...((await pageOf(page))?.commits ?? []));
  const commits = listed.reverse().map(({ sha, commit }) => ({
    sha,
    committed_at: new Date(commit.committer?.date ?? 0).toISOString(),
    title: commit.message.split('\n', 1)[0] ?? '',
  }));
  return { commits: commits.slice(0, most), more: first.total_commits > most };
}
