import type { FileMove } from '../../domain/suspect.js';
import type { BlamedFile, BlameRange, Diff, DiffFile } from '../../ports/code-host.js';
import { changeBlocks, lineBefore, squash } from './formatting.js';
import type { HistoryReader } from './history-reader.js';
import type { Position, View } from './types.js';

/** Number of stack lines whose last change is checked for formatting, crashed line first. */
const QUESTIONED = 3;
const MAX_HOPS = 3;

export interface LookedThrough {
  readonly positions: readonly Position[];
  /** Files before the skipped commits. */
  readonly earlier: readonly BlamedFile[];
}

/**
 * Skips commits that only reformatted the line: those of `.git-blame-ignore-revs`, and those whose diff changed nothing but
 * white space, quotes, semicolons or the file's path. The line is blamed again at the first parent.
 */
export async function lookThrough(
  positions: readonly Position[],
  files: readonly BlamedFile[],
  ignored: ReadonlySet<string>,
  reader: HistoryReader,
): Promise<LookedThrough> {
  const earlier: BlamedFile[] = [];
  const done: Position[] = [];
  for (const [index, position] of positions.entries()) {
    const file = files.find(({ path }) => path === position.path);
    if (index >= QUESTIONED || file === undefined) {
      done.push(position);
      continue;
    }
    const views = [...position.views];
    const through: string[] = [];
    let at: { view: View; file: BlamedFile } | null = {
      view: position.views[0] ?? { ...position, ranges: file.ranges, text: null },
      file,
    };
    while (at !== null && through.length < MAX_HOPS) {
      const owner = ownerOf(at.view.ranges, at.view.line);
      const before: { view: View; file: BlamedFile } | null =
        owner === null ? null : await stepBehind(owner, at, ignored.has(owner.sha), reader);
      if (owner === null || before === null) break;
      through.push(owner.sha);
      views.push(before.view);
      earlier.push(before.file);
      at = before;
    }
    done.push({ ...position, views, lookedThrough: through });
  }
  return { positions: done, earlier };
}

export function ownerOf(ranges: readonly BlameRange[], line: number): BlameRange | null {
  return ranges.find(({ start, end }) => start <= line && line <= end) ?? null;
}

async function stepBehind(
  owner: BlameRange,
  at: { readonly view: View; readonly file: BlamedFile },
  listed: boolean,
  reader: HistoryReader,
): Promise<{ view: View; file: BlamedFile } | null> {
  const diff = await reader.diff(owner.sha);
  const origin = diff === null ? null : originOf(diff, owner.sha, at, listed);
  if (origin === null) return null;
  const parent = (await reader.commit(owner.sha))?.parents[0];
  const file = parent === undefined ? null : await reader.blame(parent, origin.path);
  if (file === null || ownerOf(file.ranges, origin.line) === null) return null;
  const text = file.lines?.[origin.line - 1] ?? null;
  return { view: { ...origin, ranges: file.ranges, text }, file };
}

/** The line's location before the commit, if the commit only reformatted it. */
function originOf(
  diff: Diff,
  sha: string,
  at: { readonly view: View; readonly file: BlamedFile },
  listed: boolean,
): { path: string; line: number } | null {
  const text = at.file.lines?.[at.view.line - 1];
  if (text === undefined) return null;
  const file = diff.files.find(({ path }) => path === at.view.path) ?? knownAs(diff, sha, at, text);
  if (file === undefined) return null;
  if (file.status === 'added') return movedFrom(diff, file, text);
  const added = file.hunks.flatMap((hunk) => changeBlocks(hunk).flatMap((block) => block.added));
  const equal = added.filter((line) => line.text === text);
  const line = equal[Math.min(ordinal(at, sha, text), equal.length - 1)];
  const before = line === undefined ? null : lineBefore(file, line.line, listed);
  return before === null ? null : { path: file.old_path, line: before };
}

/** The file before a rename: the one that contains most of the lines that the commit owns in the new file. */
function knownAs(
  diff: Diff,
  sha: string,
  at: { readonly view: View; readonly file: BlamedFile },
  text: string,
): DiffFile | undefined {
  const owned = new Set<string>();
  for (const range of at.view.ranges) {
    if (range.sha !== sha) continue;
    for (const line of at.file.lines?.slice(range.start - 1, range.end) ?? []) owned.add(line);
  }
  let best: { file: DiffFile; shared: number } | undefined;
  for (const file of diff.files) {
    const added = new Set(file.hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith('+'))));
    if (!added.has(`+${text}`)) continue;
    const shared = [...owned].filter((line) => added.has(`+${line}`)).length;
    if (shared > (best?.shared ?? 0)) best = { file, shared };
  }
  return best?.file;
}

/** The number of equal lines of the same commit above this one. */
function ordinal(at: { readonly view: View; readonly file: BlamedFile }, sha: string, text: string): number {
  let count = 0;
  for (const range of at.view.ranges) {
    if (range.sha !== sha) continue;
    for (let line = range.start; line <= range.end && line < at.view.line; line++) {
      if (at.file.lines?.[line - 1] === text) count++;
    }
  }
  return count;
}

/** A file that was moved and changed too much for the code host to detect a rename. */
function movedFrom(diff: Diff, added: DiffFile, text: string): { path: string; line: number } | null {
  const wanted = squash(text);
  const now = new Set(added.hunks.flatMap(({ lines }) => lines.map((line) => squash(line.slice(1)))));
  for (const file of diff.files) {
    if (file.status !== 'removed') continue;
    const then = file.hunks.flatMap((hunk) => changeBlocks(hunk).flatMap(({ removed }) => removed));
    const kept = then.filter((line) => now.has(squash(line.text)));
    const equal = kept.filter((line) => squash(line.text) === wanted);
    if (wanted.length > 2 && kept.length * 2 >= then.length && equal.length === 1 && equal[0]) {
      return { path: file.old_path, line: equal[0].line };
    }
  }
  return null;
}

const MAX_MOVES = 5;

export function movesIn({ sha, files }: Diff): readonly FileMove[] {
  return files.flatMap(({ path, old_path, status }) =>
    status === 'renamed' && path !== old_path ? [{ from: old_path, to: path, by: sha }] : [],
  );
}

interface MoveParts {
  /** Of the suspect. */
  readonly diff: Diff | null;
  /** The renames in the diffs that were read. */
  readonly moves: readonly FileMove[];
  readonly files: readonly BlamedFile[];
  readonly reader: Pick<HistoryReader, 'diff'>;
}

/**
 * The renames between the line that the suspect owns and the name that its file had then, latest first. Blame follows renames without
 * naming them. Empty if the suspect changed the file under today's name, or if the renames are not known.
 */
export async function movedSince(
  at: Position | undefined,
  { diff, moves, files, reader }: MoveParts,
): Promise<readonly FileMove[]> {
  if (at === undefined || diff === null) return [];
  const isThere = (path: string) => diff.files.some((file) => file.path === path);
  const found: FileMove[] = [];
  let path = at.path;
  while (!isThere(path)) {
    const move =
      moves.find(({ to, by }) => to === path && by !== diff.sha) ?? (await birthOf(path, files, reader));
    if (move === null || found.length === MAX_MOVES) return [];
    found.push(move);
    path = move.from;
  }
  return found;
}

/** The rename with which the file's history begins. */
async function birthOf(
  path: string,
  files: readonly BlamedFile[],
  reader: MoveParts['reader'],
): Promise<FileMove | null> {
  const first = files.find((file) => file.path === path)?.history.at(-1);
  const diff = first === undefined ? null : await reader.diff(first.sha);
  return diff === null ? null : (movesIn(diff).find(({ to }) => to === path) ?? null);
}
