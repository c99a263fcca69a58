import { CulpritError, type PublishedIssue } from '@culprit/core';
import { read } from '../shared/read-answer.js';
import { askGraphql, type RepositoryName, repositoryName, unreadable } from './ask.js';
import { isResourceLimit } from './blame.js';

import { isUnavailable } from './errors.js';
import { FIX_QUERY } from './queries.js';
import { closedIssue } from './schema.js';

type Fix = NonNullable<PublishedIssue['fix']>;

/**
 * What closed an issue: the commit or pull request that did; else the linked pull request that was merged last. `null` if nobody
 * knows, or if the token may not read pull requests. `url`: the issue's page, which also tells where it was transferred to.
 */
export async function fixOf(target: RepositoryName, url: string): Promise<Fix | null> {
  const [, repository = '', number = ''] = /\/([^/]+\/[^/]+)\/issues\/(\d+)$/.exec(url) ?? [];
  if (repository === '') return null;
  const at = repositoryName(target.client, repository, target.signal);
  const answer = await askGraphql(at, FIX_QUERY, { number: Number(number) }).catch((error) => {
    if (isUnavailable(error, 'schema')) return null;
    throw error;
  });
  if (answer === null) return null;
  const { data, errors } = answer;
  if (isResourceLimit(errors))
    throw new CulpritError('code_host_unavailable', `GitHub cannot say what closed ${url}.`);
  const { issue } = read(closedIssue, data?.repository, unreadable);
  const closer = issue?.timelineItems?.nodes?.at(-1)?.closer ?? null;
  if (closer !== null) return fixFrom(closer);
  const pulls = (issue?.closedByPullRequestsReferences?.nodes ?? []).flatMap((pull) => pull ?? []);
  const [last] = pulls.sort((a, b) => Date.parse(b.mergedAt) - Date.parse(a.mergedAt));
  return last ? fixFrom(last) : null;
}

type Closer = { readonly oid: string } | Pull;
interface Pull {
  readonly number: number;
  readonly url: string;
  readonly mergeCommit: { readonly oid: string };
}

function fixFrom(closer: Closer): Fix {
  if ('oid' in closer) return { commit: closer.oid, pull_request: null };
  const { number, url, mergeCommit } = closer;
  return { commit: mergeCommit.oid, pull_request: { number, url } };
}
