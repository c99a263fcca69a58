import { CulpritError, type RevisionHints } from '@culprit/core';
import { once } from '@culprit/core/resilience';
import { iso, type NamedCommit, type RevisionReader } from '../shared/hosts/code-host.js';
import { askGraphql, isResourceLimit, lacksContents, membersOf, numbered, type Target } from './ask.js';
import type { GraphqlAnswer, GraphqlError } from './client.js';
import { isInBranchOrTag, isReachable } from './compare.js';
import { read } from './errors.js';
import { revisionQuery } from './queries.js';
import { commitOfRelease, type ReleaseReader } from './releases.js';
import { datedCommit, datedOf, headRef } from './schema.js';

/** Everything by one query, but for a release that is no tag: it takes another one. */
export function githubRevisions(
  target: Target,
  hints: RevisionHints,
  named: readonly NamedCommit[],
  tags: readonly string[],
  readReleases: ReleaseReader,
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
      return commitOfRelease(await readReleases(target, ''), forms);
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
