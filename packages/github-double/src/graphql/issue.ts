import { allows } from '../rest/request.js';
import type { StoredIssue } from '../state.js';
import { githubError } from './error.js';
import type { Root } from './repository.js';

const FORBIDDEN = 'Resource not accessible by personal access token';

/** What closed an issue. Pull requests need Pull requests: read. */
export function issueField(root: Root) {
  return ({ number }: { readonly number: number }) => {
    if (!allows(root.token, 'issues', 'read')) throw githubError('FORBIDDEN', FORBIDDEN);
    const all = root.stored();
    const found = all.find((issue) => issue.number === number && !issue.pullRequest && !issue.gone);
    if (!found) throw githubError('NOT_FOUND', `Could not resolve to an Issue with the number of ${number}.`);
    const pulls = all.filter(({ merged }) => merged?.closes.includes(number));
    return {
      __typename: 'Issue',
      number,
      timelineItems: ({ last = 100 }: { last?: number }) => ({
        nodes: found.state === 'open' ? [] : [closedEvent(root, found, all)].slice(-last),
      }),
      closedByPullRequestsReferences: (asked: { first: number; includeClosedPrs?: boolean }) => {
        requirePulls(root);
        const nodes = asked.includeClosedPrs === true ? pulls.slice(0, asked.first) : [];
        return { totalCount: nodes.length, nodes: nodes.map((pull) => pullRequest(root, pull)) };
      },
    };
  };
}

function closedEvent(root: Root, { closer }: StoredIssue, all: readonly StoredIssue[]) {
  return {
    __typename: 'ClosedEvent',
    closer: () => {
      if (typeof closer === 'string') return { __typename: 'Commit', oid: closer };
      const pull = all.find(({ number }) => number === closer);
      if (!pull) return null;
      requirePulls(root);
      return pullRequest(root, pull);
    },
  };
}

function pullRequest(root: Root, { number, merged, updatedAt }: StoredIssue) {
  return {
    __typename: 'PullRequest',
    number,
    url: `${root.base}/${root.name}/pull/${number}`,
    merged: merged !== undefined,
    mergedAt: merged === undefined ? null : new Date(updatedAt).toISOString(),
    mergeCommit: merged === undefined ? null : { __typename: 'Commit', oid: merged.commit },
  };
}

function requirePulls(root: Root): void {
  if (!allows(root.token, 'pull_requests', 'read')) throw githubError('FORBIDDEN', FORBIDDEN);
}
