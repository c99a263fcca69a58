import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { CulpritError } from '@culprit/core';
import { neutralEnvironment } from '../config/child-env.js';

/** One commit of a generated history. `.js` files are given formatted; before a commit with `formats` they are stored unformatted. */
export interface HistoryCommit {
  readonly author: string;
  /** Days before `today`, UTC; at least 1, so that the commit is always in the past. */
  readonly daysAgo: number;
  /** `10:24`, UTC. */
  readonly time: string;
  readonly title: string;
  readonly body?: string;
  readonly write?: Readonly<Record<string, string>>;
  /** Renames `[from, to]`, applied before the edits. */
  readonly move?: readonly (readonly [string, string])[];
  /** `[path, find, replace]`; `find` must occur exactly once. */
  readonly edit?: readonly (readonly [string, string, string])[];
  /** From this commit on, `.js` files are stored formatted. */
  readonly formats?: true;
  /** Adds the commit with this title to `.git-blame-ignore-revs`. */
  readonly ignores?: string;
  readonly tag?: string;
}

export interface BuiltCommit {
  readonly sha: string;
  readonly title: string;
  readonly author: string;
  readonly committedAt: string;
}

/**
 * Creates a repository with this history in the new folder `folder` and checks out the last commit. On one day, the same
 * history has the same SHAs on every machine. @throws `internal` if an edit does not match.
 */
export function buildHistory(folder: string, commits: readonly HistoryCommit[], now: Date): BuiltCommit[] {
  mkdirSync(folder, { recursive: true });
  git(folder, ['init', '--quiet', '--template=', '.']);
  git(folder, ['symbolic-ref', 'HEAD', 'refs/heads/main']);
  const files = new Map<string, string>();
  const built: BuiltCommit[] = [];
  let formatted = false;
  for (const commit of commits) {
    const before = new Set(files.keys());
    formatted ||= commit.formats === true;
    apply(commit, files, built);
    const committedAt = timeOf(commit, now);
    const stream = commitStream(commit, committedAt, files, before, formatted, built.at(-1)?.sha);
    git(folder, ['fast-import', '--quiet', '--date-format=raw'], stream);
    const sha = git(folder, ['rev-parse', 'refs/heads/main']).trim();
    if (commit.tag !== undefined) git(folder, ['update-ref', `refs/tags/${commit.tag}`, sha]);
    built.push({ sha, title: commit.title, author: commit.author, committedAt: committedAt.toISOString() });
  }
  git(folder, ['-c', 'core.autocrlf=false', 'reset', '--quiet', '--hard', 'refs/heads/main']);
  return built;
}

function timeOf({ daysAgo, time }: HistoryCommit, now: Date): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return new Date(
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - daysAgo, hours, minutes),
  );
}

function apply(commit: HistoryCommit, files: Map<string, string>, built: readonly BuiltCommit[]): void {
  for (const [from, to] of commit.move ?? []) {
    files.set(to, files.get(from) ?? '');
    files.delete(from);
  }
  for (const [path, text] of Object.entries(commit.write ?? {})) files.set(path, text);
  for (const [path, find, replace] of commit.edit ?? []) {
    const parts = (files.get(path) ?? '').split(find);
    if (parts.length !== 2) {
      throw new CulpritError(
        'internal',
        `"${commit.title}": the edit of ${path} matches ${parts.length - 1} times.`,
      );
    }
    files.set(path, parts.join(replace));
  }
  if (commit.ignores !== undefined) {
    const ignored = built.find(({ title }) => title === commit.ignores);
    files.set('.git-blame-ignore-revs', `# ${commit.ignores}\n${ignored?.sha}\n`);
  }
}

/** One commit in the format of `git fast-import`, with all files; lengths in bytes. */
function commitStream(
  commit: HistoryCommit,
  at: Date,
  files: ReadonlyMap<string, string>,
  before: ReadonlySet<string>,
  formatted: boolean,
  parent: string | undefined,
): string {
  const who = `${commit.author} <${mailOf(commit.author)}> ${Math.floor(at.getTime() / 1000)} +0000`;
  const message = commit.body === undefined ? `${commit.title}\n` : `${commit.title}\n\n${commit.body}\n`;
  const lines = ['commit refs/heads/main', `author ${who}`, `committer ${who}`, data(message)];
  if (parent !== undefined) lines.push(`from ${parent}`);
  for (const path of before) if (!files.has(path)) lines.push(`D ${path}`);
  for (const [path, text] of files) {
    const stored = formatted || !path.endsWith('.js') ? text : ragged(text);
    lines.push(`M ${path.startsWith('bin/') ? '100755' : '100644'} inline ${path}`, data(stored));
  }
  return `${lines.join('\n')}\n`;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}

function mailOf(name: string): string {
  const ascii = name.normalize('NFD').replace(/[^A-Za-z ]/g, '');
  return `${ascii.toLowerCase().replaceAll(' ', '.')}@webshop.example`;
}

/** Unformatted code: tabs, no semicolons, no spaces around operators. */
function ragged(text: string): string {
  return text
    .replace(/^( {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2))
    .replace(/;$/gm, '')
    .replace(/\((\w+ \* [\w.]+)\) \/ /g, '$1/')
    .replace(/ ([*]) /g, '$1');
}

function git(cwd: string, args: readonly string[], input?: string): string {
  const run = spawnSync('git', [...args], {
    cwd,
    encoding: 'utf8',
    env: { ...neutralEnvironment(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    ...(input === undefined ? {} : { input }),
  });
  if (run.error !== undefined) {
    throw new CulpritError('configuration', 'The demo needs git on the PATH. Install git and try again.');
  }
  if (run.status !== 0) throw new CulpritError('internal', `git ${args[0]} failed: ${run.stderr.trim()}`);
  return run.stdout;
}
