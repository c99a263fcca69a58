export const CODE_HOST_INDEX = `// @ts-check
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
`;

export const CODE_HOST_SUBJECT = `import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@culprit/core/connector';
import { codeHostContract, sampleHistory } from '@culprit/core/testing';
import { connector } from './index.js';
import { makeRepository } from './make-repository.js';

const directory = mkdtempSync(join(tmpdir(), 'NAME-'));
makeRepository(join(directory, 'shop'), sampleHistory);

export const suite = codeHostContract;
/** A repository with exactly the sample history: push it to your code host once, or serve it from a double. */
export const make = async () => {
  const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
  const { codeHost } = await connector({}).setup(context);
  if (!codeHost) throw new Error('setup returned no codeHost');
  return {
    codeHost,
    repository: join(directory, 'shop'),
    unknownRepository: join(directory, 'nowhere'),
    history: sampleHistory,
  };
};
`;

export const MAKE_REPOSITORY = `import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The known history as a real git repository, commit for commit.
 * @param {string} path
 * @param {import('@culprit/core/testing').KnownHistory} history
 */
export function makeRepository(path, history) {
  mkdirSync(path, { recursive: true });
  const base = { PATH: process.env.PATH, HOME: path, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C', TZ: 'UTC' };
  const git = (/** @type {string[]} */ args, env = {}) =>
    execFileSync('git', args, { cwd: path, encoding: 'utf8', env: { ...base, ...env } }).trim();
  git(['init', '-q', '-b', 'main']);
  for (const { sha, parents, author, committed_at, message, files } of history.make) {
    if (parents[0] !== undefined) git(['checkout', '-q', '-B', 'main', parents[0]]);
    for (const [name, content] of Object.entries(files)) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      if (content === null) rmSync(file);
      else writeFileSync(file, content);
    }
    git(['add', '-A', '--', ...Object.keys(files)]);
    const who = { NAME: author.name, EMAIL: author.email, DATE: committed_at };
    const env = Object.fromEntries(
      Object.entries(who).flatMap(([key, value]) => [['GIT_AUTHOR_' + key, value], ['GIT_COMMITTER_' + key, value]]),
    );
    const from = parents.flatMap((parent) => ['-p', parent]);
    const made = git(['commit-tree', git(['write-tree']), ...from, '-m', message.trimEnd()], env);
    if (made !== sha) throw new Error('a commit became ' + made + ', not ' + sha);
    git(['update-ref', 'HEAD', made]);
  }
  const me = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
  for (const { name, sha, annotated } of history.tags) {
    git(annotated ? [...me, 'tag', '-a', '-m', name, name, sha] : ['tag', name, sha]);
  }
}
`;
