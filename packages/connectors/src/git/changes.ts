import type { Diff } from '@culprit/core';
import { batchesOf } from '@culprit/core/resilience';
import type { Answers } from './answers.js';
import {
  type Change,
  countsOf,
  diffOf,
  type LineCounts,
  PATCH_BYTES,
  readChange,
  readChanges,
} from './change.js';
import { isMissingContent } from './client.js';
import { sumNumstat } from './commits.js';
import { parseChangedFiles, parseDiff } from './diff.js';
import { DIFF_OPTIONS } from './environment.js';
import { presentFiles } from './missing-content.js';
import { parentsOf } from './objects.js';
import { isShallowAt, type Opened } from './repository.js';
import { decode } from './text.js';

/** Commits in one question: fewer cost more questions, more leave a processor idle at the end. */
const AT_ONCE = 6;

/** What commits changed, each read once. */
export interface Changes {
  /** Reads the parents of all at once. Returns those that are commits. */
  learnParents(opened: Opened, names: readonly string[]): Promise<readonly string[]>;
  /** True: the full name is known to be a commit. */
  knows(opened: Opened, sha: string): boolean;
  /** Reads the changes of all, several in one question. They must be commits. What fails is read again by whoever needs it. */
  readAll(opened: Opened, shas: readonly string[], inTurn?: 'in turn'): Promise<void>;
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
    const isKnown = (sha: string) => answers.parents.has(`${repository.key} ${sha}`);
    const known = names.filter(isKnown);
    const found = await parentsOf(
      git,
      names.filter((sha) => !isKnown(sha)),
    );
    for (const [sha, parents] of found) answers.parents.set(`${repository.key} ${sha}`, parents);
    return [...known, ...found.keys()];
  };
  const parentOf = async (opened: Opened, sha: string): Promise<string | undefined> => {
    if (await isShallowAt(opened.repository, sha)) return undefined;
    const key = `${opened.repository.key} ${sha}`;
    if (!answers.parents.has(key)) await learnParents(opened, [sha]);
    return answers.parents.get(key)?.[0];
  };
  const stepOf = async (opened: Opened, sha: string) => ({ sha, parent: await parentOf(opened, sha) });
  const pendingOf = ({ git: { signal } }: Opened) => {
    const own = pending.get(signal) ?? new Map<string, Promise<Change>>();
    pending.set(signal, own);
    return own;
  };
  /** `early`: what another question may answer; with nothing, the commit is read alone. */
  const begin = (opened: Opened, sha: string, early: Promise<Change | undefined>) => {
    const key = `${opened.repository.key} ${sha}`;
    const own = pendingOf(opened);
    const read = (async () => {
      const change = (await early) ?? (await readChange(opened.git, await stepOf(opened, sha)));
      answers.changes.set(key, change);
      return change;
    })().finally(() => own.delete(key));
    own.set(key, read);
    return read;
  };
  const of: Changes['of'] = (opened, sha) => {
    const key = `${opened.repository.key} ${sha}`;
    const kept = answers.changes.get(key);
    if (kept) return Promise.resolve(kept);
    return pendingOf(opened).get(key) ?? begin(opened, sha, Promise.resolve(undefined));
  };
  const readTogether = async (opened: Opened, shas: readonly string[]) => {
    try {
      return await readChanges(opened.git, await Promise.all(shas.map((sha) => stepOf(opened, sha))));
    } catch {
      opened.git.signal.throwIfAborted();
      return new Map<string, Change>();
    }
  };
  const readAll: Changes['readAll'] = async (opened, shas, inTurn) => {
    const keyOf = (sha: string) => `${opened.repository.key} ${sha}`;
    const isUnknown = (sha: string) => !answers.changes.has(keyOf(sha)) && !pendingOf(opened).has(keyOf(sha));
    const reading: Promise<unknown>[] = [];
    for (const batch of batchesOf([...new Set(shas)], AT_ONCE)) {
      const unknown = batch.filter(isUnknown);
      if (unknown.length === 0) continue;
      const together = readTogether(opened, unknown);
      reading.push(
        ...unknown.map((sha) =>
          begin(
            opened,
            sha,
            together.then((found) => found.get(sha)),
          ),
        ),
      );
      if (inTurn) await Promise.allSettled(reading);
    }
    await Promise.allSettled(reading);
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
  const knows: Changes['knows'] = ({ repository }, sha) => answers.parents.has(`${repository.key} ${sha}`);
  return { learnParents, knows, readAll, of, counts, diff };
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
