import { existsSync, realpathSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { CulpritError, type JsonObject } from '@culprit/core';
import { runGit } from '../replay/run-git.js';

/** The user's repository at its last commit. */
export interface OwnRepository {
  readonly root: string;
  readonly head: string;
  readonly commits: number;
  readonly authors: number;
}

/** A line of a repository; the path is relative to its root. */
export interface Place {
  readonly path: string;
  readonly line: number;
}

const PLATFORMS: Readonly<Record<string, string>> = {
  '.py': 'python',
  '.rb': 'ruby',
  '.php': 'php',
  '.go': 'go',
  '.java': 'java',
  '.kt': 'java',
  '.cs': 'csharp',
};

/** @throws `malformed` without a repository or a commit. */
export function openRepository(path: string): OwnRepository {
  const folder = resolve(path);
  if (!existsSync(folder)) throw new CulpritError('malformed', `${folder} does not exist.`);
  const top = ask(folder, ['rev-parse', '--show-toplevel']);
  if (top === null) throw new CulpritError('malformed', `${folder} is not a git repository.`);
  const root = realpathSync(top.trim());
  const head = ask(root, ['rev-parse', '--verify', 'HEAD'])?.trim();
  if (head === undefined) throw new CulpritError('malformed', `${root} has no commits.`);
  const names = ask(root, ['log', '--format=%aN', 'HEAD'])?.trimEnd().split('\n') ?? [];
  return { root, head, commits: names.length, authors: new Set(names).size };
}

/** A crash at one line of the repository. @throws `malformed` if the file or the line does not exist. */
export function crashAt(repository: OwnRepository, { path, line }: Place, environment: string): JsonObject {
  const text = ask(repository.root, ['show', `${repository.head}:${path}`]);
  if (text === null) {
    throw new CulpritError(
      'malformed',
      `The last commit has no file ${path}. Paths are relative to the repository's root.`,
    );
  }
  const lines = text.replace(/\n$/, '').split('\n');
  const source = lines[line - 1];
  if (source === undefined) {
    throw new CulpritError('malformed', `${path} has ${lines.length} lines, so it has no line ${line}.`);
  }
  const frame = { filename: path, lineno: line, in_app: true, context_line: source };
  return {
    level: 'error',
    platform: PLATFORMS[extname(path)] ?? 'node',
    release: repository.head,
    environment,
    exception: {
      values: [
        { type: 'Error', value: `Reported crash at ${path}:${line}`, stacktrace: { frames: [frame] } },
      ],
    },
  };
}

/** The output of git, or `null` if it fails. */
function ask(cwd: string, args: readonly string[]): string | null {
  const { status, stdout } = runGit(cwd, args);
  return status === 0 ? stdout : null;
}
