import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KnownHistory } from '@culprit/core/testing';

const AUTHOR = { name: 'Test', email: 'test@example.org' };

export interface TestRepository {
  readonly path: string;
  /** Runs the real git in it and returns its output without the last line break. */
  git(...args: readonly string[]): string;
  /** Writes files (`null` removes one), commits them and returns the new SHA. */
  commit(
    files: Readonly<Record<string, string | Buffer | null>>,
    options?: {
      readonly message?: string;
      readonly at?: string;
      readonly author?: { readonly name: string; readonly email: string };
      readonly merge?: readonly string[];
    },
  ): string;
}

/** An empty repository on branch `main`, isolated from the machine's git configuration. */
export function makeRepository(path: string): TestRepository {
  mkdirSync(path, { recursive: true });
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
      cwd: path,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: path, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C', TZ: 'UTC', ...env },
    }).replace(/\n$/, '');
  run(['init', '-q', '-b', 'main']);
  return {
    path,
    git: (...args) => run(args),
    commit: (
      files,
      { message = 'Change', at = '2026-01-01T00:00:00Z', author = AUTHOR, merge = [] } = {},
    ) => {
      for (const [name, content] of Object.entries(files)) {
        const file = join(path, name);
        if (content === null) {
          rmSync(file);
        } else {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, content);
        }
      }
      run(['add', '-A', '--', ...Object.keys(files)]);
      const env = {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: at,
        GIT_COMMITTER_NAME: author.name,
        GIT_COMMITTER_EMAIL: author.email,
        GIT_COMMITTER_DATE: at,
      };
      const tree = run(['write-tree']);
      const head = run(['rev-list', '--max-count=1', '--all']) === '' ? [] : [run(['rev-parse', 'HEAD'])];
      const parents = [...head, ...merge].flatMap((sha) => ['-p', sha]);
      const sha = run(['commit-tree', tree, ...parents, '-m', message.trimEnd()], env);
      run(['update-ref', 'HEAD', sha]);
      return sha;
    },
  };
}

/** Writes the known history to a real repository. */
export function buildFixtureRepository(path: string, history: KnownHistory): TestRepository {
  const repository = makeRepository(path);
  for (const { sha, parents, author, committed_at, message, files } of history.make) {
    const [onto, ...merge] = parents;
    if (onto !== undefined) repository.git('checkout', '-q', '-B', 'main', onto);
    const made = repository.commit(files, { message, at: committed_at, author, merge });
    if (made !== sha) throw new Error(`${message.trim()} became ${made}, not ${sha}`);
  }
  for (const { name, sha, annotated } of history.tags) {
    const options = annotated ? ['-c', 'user.name=T', '-c', 'user.email=t@example.org'] : [];
    repository.git(...options, 'tag', ...(annotated ? ['-a', '-m', name] : []), name, sha);
  }
  return repository;
}
