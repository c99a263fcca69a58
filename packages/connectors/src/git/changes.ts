import type { Blame, Diff, Tree } from '@culprit/core/connector';
import type { BlamedFile, DiffFile, OwnersFile } from '@culprit/core/internal/ports/code-host';
import { batchesOf } from '@culprit/core/internal/resilience/batches';
import { type BoundedMap, boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import {
  type Change,
  countsOf,
  diffOf,
  type LineCounts,
  PATCH_BYTES,
  parseChangedFiles,
  parseDiff,
  readChange,
  readChanges,
  sizeOf,
} from './change.js';
import { type GitReader, isMissingContent } from './client.js';
import { type BareCommit, sumNumstat } from './commits.js';
import { DIFF_OPTIONS } from './environment.js';
import { parentsOf } from './objects.js';
import { isShallowAt, type Opened } from './repository.js';
import { decode } from './text.js';

export type Listing = Pick<Tree, 'paths' | 'truncated' | 'submodules'>;

const MEGABYTE = 1024 * 1024;

/**
 * What was read, by repository and SHA, so that it never changes: for the steps of one analysis, and for the next one in
 * the same repository. In memory and limited.
 */
export interface Answers {
  readonly trees: BoundedMap<string, Listing>;
  readonly files: BoundedMap<string, BlamedFile>;
  readonly recent: BoundedMap<string, Blame['recent']>;
  readonly commits: BoundedMap<string, BareCommit>;
  readonly parents: BoundedMap<string, readonly string[]>;
  readonly changes: BoundedMap<string, Change>;
  readonly owners: BoundedMap<string, { readonly file: OwnersFile | null }>;
}

export function createAnswers(): Answers {
  return {
    trees: boundedMap(4),
    files: boundedMap(256, { most: 32 * MEGABYTE, of: weightOf }),
    recent: boundedMap(64),
    commits: boundedMap(4_000, { most: 16 * MEGABYTE, of: ({ message }) => message.length + 500 }),
    parents: boundedMap(10_000),
    changes: boundedMap(2_000, { most: 48 * MEGABYTE, of: sizeOf }),
    owners: boundedMap(64, { most: 8 * MEGABYTE, of: ({ file }) => 1 + (file?.text?.length ?? 0) }),
  };
}

function weightOf({ lines, ranges }: BlamedFile): number {
  const text = lines?.reduce((sum, line) => sum + line.length, 0) ?? 0;
  return 1 + text + ranges.length * 200;
}

/** Commits in one question: fewer cost more questions, more leave a processor idle at the end. */
const AT_ONCE = 6;

/** What commits changed, each read once. */
export interface Changes {
  /** Reads the parents of all at once. Returns those that are commits. */
  learnParents(opened: Opened, names: readonly string[]): Promise<readonly string[]>;
  /** True: the full name is known to be a commit. */
  knows(opened: Opened, sha: string): boolean;
  /** Reads the changes of all, several in one question. They must be commits. What fails is read again when it is needed. */
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

/** Paths passed to git by name. */
const MAX_PATHS = 1_000;
const NO_OBJECT = /^0+$/;
const SUBMODULE = '160000';
const RAW_CHANGE = /^:(\d{6}) (\d{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([A-Z])$/;

interface Presence {
  /** Files whose content is present on both sides. */
  readonly paths: readonly string[];
  /** Files with missing content, and those beyond the limit, without hunks. */
  readonly missing: readonly DiffFile[];
}

/** Which files of a change can be compared in a partial clone; git itself stops at the first missing one. */
async function presentFiles(git: GitReader, range: readonly string[]): Promise<Presence> {
  const options = ['-r', '--no-commit-id', '--no-renames', '--no-abbrev', '--raw', '-z'];
  const changes = parseRaw(decode(await git.output(['diff-tree', ...options, ...range, '--'])));
  const input = [...new Set(changes.flatMap(({ oids }) => oids))].map((oid) => `${oid}\n`).join('');
  const checked = await git.output(['cat-file', '--batch-check'], { input });
  const lost = new Set([...decode(checked).matchAll(/^([0-9a-f]+) missing$/gm)].map(([, oid]) => oid));
  const paths: string[] = [];
  const missing: DiffFile[] = [];
  for (const { path, status, oids } of changes) {
    if (paths.length < MAX_PATHS && !oids.some((oid) => lost.has(oid))) paths.push(path);
    else if (missing.length < MAX_PATHS) missing.push({ path, old_path: path, status, hunks: [] });
  }
  return { paths, missing };
}

interface ChangedPath {
  readonly path: string;
  readonly status: DiffFile['status'];
  /** Content objects that a comparison reads. */
  readonly oids: readonly string[];
}

function parseRaw(text: string): readonly ChangedPath[] {
  const tokens = text.split('\0');
  const changes: ChangedPath[] = [];
  for (let at = 0; at + 1 < tokens.length; at += 2) {
    const [, before = '', after = '', old = '', now = '', letter] = RAW_CHANGE.exec(tokens[at] ?? '') ?? [];
    const sides = [
      { mode: before, oid: old },
      { mode: after, oid: now },
    ];
    changes.push({
      path: tokens[at + 1] ?? '',
      status: letter === 'A' ? 'added' : letter === 'D' ? 'removed' : 'modified',
      oids: sides.flatMap(({ mode, oid }) => (mode === SUBMODULE || NO_OBJECT.test(oid) ? [] : [oid])),
    });
  }
  return changes;
}
