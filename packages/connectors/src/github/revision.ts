import { CulpritError, type RevisionHints } from '@culprit/core/connector';
import type { CommitRange } from '@culprit/core/internal/ports/code-host';
import { once } from '@culprit/core/internal/resilience/once';
import * as v from 'valibot';
import { FULL_SHA, iso, type NamedCommit, type RevisionReader } from '../shared/hosts/code-host.js';
import {
  answeredOrNull,
  askGraphql,
  isResourceLimit,
  lacksContents,
  membersOf,
  numbered,
  read,
  type Target,
} from './ask.js';
import type { GraphqlAnswer, GraphqlError } from './client.js';
import { REFS_QUERY, revisionQuery } from './queries.js';
import {
  comparedCommits,
  comparedRange,
  comparison,
  datedCommit,
  datedOf,
  headRef,
  refsPage,
} from './schema.js';

/** Everything by one query, but for a release that is no tag: it takes another one. */
export function githubRevisions(
  target: Target,
  hints: RevisionHints,
  named: readonly NamedCommit[],
  tags: readonly string[],
  ofRelease: RevisionReader['released'],
): RevisionReader {
  const asked = once(async () => membersOf(await askRevision(target, named, tags, hints.at)));
  const at = async (alias: string) => datedOf(read(datedCommit, (await asked())[alias]));
  return {
    commitAt: (sha) => at(`c${named.findIndex((one) => one.sha === sha)}`),
    async isReachable({ sha }) {
      const { head } = (await asked()) as { readonly head?: Readonly<Record<string, unknown>> | null };
      const index = named.findIndex((one) => sha.startsWith(one.sha));
      return isReachable(head?.[`c${index}`]) || isInBranchOrTag(target, sha);
    },
    async released(forms) {
      for (const index of forms.keys()) {
        const commit = await at(`t${index}`);
        if (commit) return { commit, how: 'tag' };
      }
      return ofRelease(forms);
    },
    async newest(until) {
      const { head } = await asked();
      if (head === null || head === undefined) return null;
      const found = read(headRef, head).target;
      return datedOf(until === undefined ? found : (found.dated[0] ?? null));
    },
  };
}

async function askRevision(
  target: Target,
  named: readonly NamedCommit[],
  tags: readonly string[],
  at: string,
): Promise<GraphqlAnswer> {
  const variables = {
    until: iso(at).replace(/\.\d+Z$/, 'Z'),
    ...numbered(
      'c',
      named.map(({ sha }) => sha),
    ),
    ...numbered(
      't',
      tags.map((tag) => `refs/tags/${tag}`),
    ),
  };
  const answer = await askGraphql(target, revisionQuery(named.length, tags.length), variables);
  const hidden = answer.errors.find(({ type }) => type === 'FORBIDDEN');
  if (hidden) throw lacksContents(target.repository, hidden.message);
  const failed = answer.errors.find((error) => error.type !== 'NOT_FOUND' && !isFailedComparison(error));
  if (failed || !answer.data?.repository)
    throw new CulpritError(
      'code_host_unavailable',
      `GitHub could not find the revision (${failed?.message.slice(0, 200) ?? 'no data'}).`,
    );
  return answer;
}

/** GitHub cannot compare a commit that it does not have. A query that is too large says nothing. */
function isFailedComparison(error: GraphqlError): boolean {
  return error.path?.includes('head') === true && error.path.length > 2 && !isResourceLimit([error]);
}

/** Whether a comparison of a branch or tag with a commit says that the branch or tag contains the commit. */
export function isReachable(compared: unknown): boolean {
  const parsed = v.safeParse(comparison, compared);
  return parsed.success && ['BEHIND', 'IDENTICAL'].includes(parsed.output?.status ?? '');
}

/** Pages of branches, and of tags, that are compared: 200 of each. */
const MAX_PAGES = 4;

/** Whether one of the first 200 branches or the newest 200 tags contains the commit. */
async function isInBranchOrTag(target: Target, sha: string): Promise<boolean> {
  for (const prefix of ['refs/heads/', 'refs/tags/']) {
    let after: string | null = null;
    for (let page = 0; page < MAX_PAGES; page++) {
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
