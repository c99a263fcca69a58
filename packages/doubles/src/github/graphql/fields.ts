import { allows } from '../rest/request.js';
import type { StoredIssue } from '../state.js';
import { forbidden, githubError } from './document.js';
import type { Root } from './repository.js';

/** What closed an issue. Pull requests need Pull requests: read. */
export function issueField(root: Root) {
  return ({ number }: { readonly number: number }) => {
    if (!allows(root.token, 'issues', 'read')) throw forbidden();
    const all = root.stored();
    const found = all.find((issue) => issue.number === number && !issue.pullRequest && !issue.gone);
    if (!found) throw githubError('NOT_FOUND', `Could not resolve to an Issue with the number of ${number}.`);
    const pulls = all.filter(({ merged }) => merged?.closes.includes(number));
    return {
      __typename: 'Issue',
      number,
      lastEditedAt: found.edited === undefined ? null : new Date(found.edited.at).toISOString(),
      editor: found.edited === undefined ? null : { __typename: 'User', login: found.edited.by },
      timelineItems: ({ last = 100, itemTypes = [] }: { last?: number; itemTypes?: readonly string[] }) => {
        const events = [
          ...(found.renamed === undefined ? [] : [renamedEvent(found.renamed)]),
          ...(found.state === 'open' ? [] : [closedEvent(root, found, all)]),
        ];
        return { nodes: events.filter(({ type }) => itemTypes.includes(type)).slice(-last) };
      },
      closedByPullRequestsReferences: (asked: { first: number; includeClosedPrs?: boolean }) => {
        requirePulls(root);
        const nodes = asked.includeClosedPrs === true ? pulls.slice(0, asked.first) : [];
        return { totalCount: nodes.length, nodes: nodes.map((pull) => pullRequest(root, pull)) };
      },
    };
  };
}

function renamedEvent({ at, by }: NonNullable<StoredIssue['renamed']>) {
  return {
    type: 'RENAMED_TITLE_EVENT',
    __typename: 'RenamedTitleEvent',
    createdAt: new Date(at).toISOString(),
    actor: { __typename: 'User', login: by },
  };
}

function closedEvent(root: Root, { closer }: StoredIssue, all: readonly StoredIssue[]) {
  return {
    type: 'CLOSED_EVENT',
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
  if (!allows(root.token, 'pull_requests', 'read')) throw forbidden();
}

export interface Page {
  readonly first: number;
}

/** Releases need Contents: read; deployments need Deployments: read. Newest first, as the clients of the double ask. */
export function releaseFields(root: Root, commitAt: (sha: string) => Promise<object | null>) {
  const { releases = [], deployments = [] } = root.settings;
  return {
    releases: ({ first }: Page) => {
      if (!root.canRead) throw forbidden();
      const nodes = releases.slice(-first).toReversed();
      return {
        totalCount: releases.length,
        nodes: nodes.map(({ name, tag }) => ({
          name,
          tagName: tag,
          isDraft: false,
          tagCommit: async () => {
            const sha = await root.git.resolve(`refs/tags/${tag}`);
            return sha === null ? null : commitAt(sha);
          },
        })),
      };
    },
    deployments: ({ first }: Page) => {
      if (!allows(root.token, 'deployments', 'read')) throw forbidden();
      const nodes = deployments.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, first);
      return {
        totalCount: deployments.length,
        nodes: nodes.map(({ sha, ref, environment, payload, state = 'INACTIVE', createdAt }) => ({
          commitOid: sha,
          commit: () => commitAt(sha),
          ref: ref === undefined ? null : { __typename: 'Ref', name: ref },
          environment,
          payload: payload ?? null,
          state,
          createdAt: new Date(createdAt).toISOString(),
        })),
      };
    },
  };
}
