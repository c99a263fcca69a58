import { allows } from '../rest/request.js';
import { forbidden } from './document.js';
import type { Root } from './repository.js';

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
