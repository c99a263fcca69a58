import type { FileMove } from '../../domain/suspect.js';
import type { BlamedFile, Diff } from '../../ports/code-host.js';
import type { HistoryReader } from './history-reader.js';
import type { Position } from './types.js';

const MOST_MOVES = 5;

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
    if (move === null || found.length === MOST_MOVES) return [];
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
