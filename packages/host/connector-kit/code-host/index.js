// @ts-check
import { git } from '@culprit/connectors/git';
import { defineConnector } from '@culprit/core/connector';
import * as v from 'valibot';

/** Where the host runs this connector: trackers run at the edge, all others in core. */
export const ports = ['PORT'];

/**
 * Reads history. It starts as local git, so the contract suite passes at once: replace one method after another with
 * requests to your code host, and keep the suite passing.
 */
export const connector = defineConnector({
  id: 'NAME',
  config: v.strictObject({ token: v.optional(v.string()) }),
  setup: async (_config, context) => {
    const { codeHost: local, check } = await git({}).setup(context);
    if (!local) throw new Error('the git connector provides a code host');
    return {
      codeHost: {
        // The revision that matches the hints, and its files.
        tree: (repository, hints, signal) => local.tree(repository, hints, signal),
        // For each path: the commit that last changed each line. A file without blame reports that in its own entry.
        blame: (repository, sha, paths, signal) => local.blame(repository, sha, paths, signal),
        commits: (repository, shas, signal) => local.commits(repository, shas, signal),
        diff: (repository, sha, signal) => local.diff(repository, sha, signal),
      },
      ...(check ? { check } : {}),
    };
  },
});
