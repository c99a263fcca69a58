import type { Diff } from '@culprit/core';
import type { Answers } from './answers.js';
import { type Change, countsOf, diffOf, type LineCounts, PATCH_BYTES, readChange } from './change.js';
import { isMissingContent } from './client.js';
import { sumNumstat } from './commits.js';
import { parseChangedFiles, parseDiff } from './diff.js';
import { DIFF_OPTIONS } from './environment.js';
import { presentFiles } from './missing-content.js';
import { parentsOf } from './objects.js';
import { isShallowAt, type Opened } from './repository.js';
import { decode } from './text.js';

/** What commits changed, each read once. */
export interface Changes {
  /** Reads the parents of all at once. Returns those that are commits. */
  learnParents(opened: Opened, names: readonly string[]): Promise<readonly string[]>;
  /** The commit must exist. Rejects if content is missing. */
  of(opened: Opened, sha: string): Promise<Change>;
  /** Lines added and removed; 0 where content is missing. */
  counts(opened: Opened, sha: string): Promise<LineCounts>;
  diff(opened: Opened, sha: string): Promise<Diff>;
}

export function createChanges(answers: Answers): Changes {
  /** By request, because a request that is aborted must not fail another one. */
  const pending = new WeakMap<AbortSignal, Map<string, Promise<Change>>>();

  const learnParents: Changes['learnParents'] = async ({ git, repository }, names) => {
    const found = await parentsOf(git, names);
    for (const [sha, parents] of found) answers.parents.set(`${repository.key} ${sha}`, parents);
    return [...found.keys()];
  };
  const parentOf = async (opened: Opened, sha: string): Promise<string | undefined> => {
    if (await isShallowAt(opened.repository, sha)) return undefined;
    const key = `${opened.repository.key} ${sha}`;
    if (!answers.parents.has(key)) await learnParents(opened, [sha]);
    return answers.parents.get(key)?.[0];
  };
  const of: Changes['of'] = (opened, sha) => {
    const key = `${opened.repository.key} ${sha}`;
    const { signal } = opened.git;
    const kept = answers.changes.get(key);
    if (kept) return Promise.resolve(kept);
    const own = pending.get(signal) ?? new Map<string, Promise<Change>>();
    pending.set(signal, own);
    const asked = own.get(key);
    if (asked) return asked;
    const read = (async () => {
      const change = await readChange(opened.git, sha, await parentOf(opened, sha));
      answers.changes.set(key, change);
      return change;
    })().finally(() => own.delete(key));
    own.set(key, read);
    return read;
  };
  const counts: Changes['counts'] = async (opened, sha) => {
    try {
      return countsOf(await of(opened, sha)) ?? (await countedByGit(opened, await rangeOf(opened, sha)));
    } catch (error) {
      if (!isMissingContent(error)) throw error;
      return { additions: 0, deletions: 0 };
    }
  };
  const rangeOf = async (opened: Opened, sha: string): Promise<readonly string[]> => {
    const parent = await parentOf(opened, sha);
    return parent === undefined ? ['--root', sha] : [parent, sha];
  };
  const diff: Changes['diff'] = async (opened, sha) => {
    if (await isShallowAt(opened.repository, sha)) return { sha, files: [], truncated: true };
    try {
      return diffOf(sha, await of(opened, sha));
    } catch (error) {
      if (!isMissingContent(error)) throw error;
      return partialDiff(opened, sha, await rangeOf(opened, sha));
    }
  };
  return { learnParents, of, counts, diff };
}

async function countedByGit({ git }: Opened, range: readonly string[]): Promise<LineCounts> {
  const args = ['diff-tree', '-r', '--no-commit-id', ...DIFF_OPTIONS, '--numstat', ...range, '--'];
  return sumNumstat(decode(await git.output(args)));
}

/** The files of a partial clone that can be compared. */
async function partialDiff({ git }: Opened, sha: string, range: readonly string[]): Promise<Diff> {
  const { paths, missing } = await presentFiles(git, range);
  if (paths.length === 0) return { sha, files: missing, truncated: true };
  const shared = ['diff-tree', '-r', '--no-commit-id', ...DIFF_OPTIONS];
  const compared = [...range, '--', ...paths];
  const [raw, patch] = await Promise.all([
    git.output([...shared, '--raw', '-z', ...compared]),
    git.partial([...shared, '-p', '-U3', ...compared], { maxBytes: PATCH_BYTES }),
  ]);
  const { files } = parseDiff(parseChangedFiles(raw), patch.stdout, patch.cut);
  return { sha, files: [...files, ...missing], truncated: true };
}
