import { CulpritError } from '@culprit/core';
import { createRepository } from '../replay/git-repository.js';

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
  const isExecutable = (path: string) => path.startsWith('bin/');
  const repository = createRepository(folder, { mailDomain: 'webshop.example', isExecutable });
  const files = new Map<string, string>();
  const built: BuiltCommit[] = [];
  let formatted = false;
  for (const commit of commits) {
    formatted ||= commit.formats === true;
    apply(commit, files, built);
    const at = timeOf(commit, now);
    const { title, author } = commit;
    const sha = repository.commit({ ...commit, at, files: formatted ? files : unformatted(files) });
    built.push({ sha, title, author, committedAt: at.toISOString() });
  }
  repository.checkout();
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

function unformatted(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...files].map(([path, text]) => [path, path.endsWith('.js') ? ragged(text) : text]));
}

/** Unformatted code: tabs, no semicolons, no spaces around operators. */
function ragged(text: string): string {
  return text
    .replace(/^( {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2))
    .replace(/;$/gm, '')
    .replace(/\((\w+ \* [\w.]+)\) \/ /g, '$1/')
    .replace(/ ([*]) /g, '$1');
}
