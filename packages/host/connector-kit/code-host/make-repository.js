import { execFileSync } from 'node:child_process';
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
    const who = { name: author.name, email: author.email, date: committed_at };
    const env = Object.fromEntries(
      Object.entries(who).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key.toUpperCase()}`, value],
        [`GIT_COMMITTER_${key.toUpperCase()}`, value],
      ]),
    );
    const from = parents.flatMap((parent) => ['-p', parent]);
    const made = git(['commit-tree', git(['write-tree']), ...from, '-m', message.trimEnd()], env);
    if (made !== sha) throw new Error(`a commit became ${made}, not ${sha}`);
    git(['update-ref', 'HEAD', made]);
  }
  const me = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
  for (const { name, sha, annotated } of history.tags) {
    git(annotated ? [...me, 'tag', '-a', '-m', name, name, sha] : ['tag', name, sha]);
  }
}
