import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { CulpritError } from '@culprit/core';
import { neutralEnvironment } from '../config/child-env.js';

const GIT_MS = 60_000;

export interface RepositoryCommit {
  readonly author: string;
  readonly at: Date;
  readonly title: string;
  readonly body?: string | undefined;
  readonly tag?: string | undefined;
  /** All files of the commit. */
  readonly files: ReadonlyMap<string, string>;
}

export interface RepositoryOptions {
  /** The domain of the authors' mail addresses. */
  readonly mailDomain: string;
  readonly isExecutable?: (path: string) => boolean;
}

export interface RepositoryWriter {
  /** Appends a commit to `main`. Returns its SHA. */
  commit(commit: RepositoryCommit): string;
  /** Checks out the last commit. */
  checkout(): void;
}

/** Creates a git repository in `folder`. The same commits have the same SHAs on every machine. */
export function createRepository(folder: string, options: RepositoryOptions): RepositoryWriter {
  mkdirSync(folder, { recursive: true });
  git(folder, ['init', '--quiet', '--template=', '.']);
  git(folder, ['symbolic-ref', 'HEAD', 'refs/heads/main']);
  let before: readonly string[] | null = null;
  return {
    commit(commit) {
      const stream = commitStream(commit, before, options);
      git(folder, ['fast-import', '--quiet', '--date-format=raw'], stream);
      before = [...commit.files.keys()];
      const sha = git(folder, ['rev-parse', 'refs/heads/main']).trim();
      if (commit.tag !== undefined) git(folder, ['update-ref', `refs/tags/${commit.tag}`, sha]);
      return sha;
    },
    checkout: () =>
      void git(folder, ['-c', 'core.autocrlf=false', 'reset', '--quiet', '--hard', 'refs/heads/main']),
  };
}

/** One commit in the format of `git fast-import`, with all files; lengths in bytes. `before`: the parent's files. */
function commitStream(
  { author, at, title, body, files }: RepositoryCommit,
  before: readonly string[] | null,
  { mailDomain, isExecutable = () => false }: RepositoryOptions,
): string {
  const ascii = author.normalize('NFD').replace(/[^A-Za-z ]/g, '');
  const mail = `${ascii.toLowerCase().replaceAll(' ', '.')}@${mailDomain}`;
  const who = `${author} <${mail}> ${Math.floor(at.getTime() / 1000)} +0000`;
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}`;
  const message = body === undefined ? `${title}\n` : `${title}\n\n${body}\n`;
  const lines = ['commit refs/heads/main', `author ${who}`, `committer ${who}`, data(message)];
  if (before !== null) lines.push('from refs/heads/main^0');
  for (const path of before ?? []) if (!files.has(path)) lines.push(`D ${path}`);
  for (const [path, text] of files) {
    lines.push(`M ${isExecutable(path) ? '100755' : '100644'} inline ${path}`, data(text));
  }
  return `${lines.join('\n')}\n`;
}

function git(cwd: string, args: readonly string[], input?: string): string {
  const run = spawnSync('git', [...args], {
    cwd,
    encoding: 'utf8',
    env: { ...neutralEnvironment(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    ...(input === undefined ? {} : { input }),
    timeout: GIT_MS,
  });
  if (run.signal !== null)
    throw new CulpritError('internal', `git ${args[0]} in ${cwd} did not end within ${GIT_MS / 1_000} s.`);
  if (run.error) throw new CulpritError('configuration', 'git is not on the PATH. Install it and try again.');
  if (run.status !== 0) throw new CulpritError('internal', `git ${args[0]} failed: ${run.stderr.trim()}`);
  return run.stdout;
}
