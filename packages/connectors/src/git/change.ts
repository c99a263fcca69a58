import { randomUUID } from 'node:crypto';
import type { Diff } from '@culprit/core';
import type { GitReader } from './client.js';
import { countLines } from './count-lines.js';
import { parseChangedFiles, parseDiff } from './diff.js';

/** Of a patch. What follows is cut. */
export const PATCH_BYTES = 8 * 1024 * 1024;
/** Of the list of files before the patch. */
const LIST_BYTES = 16 * 1024 * 1024;

/** What a commit changed, as git printed it. */
export interface Change {
  /** Output of `--raw -z`. */
  readonly list: Buffer;
  readonly patch: Buffer;
  /** True: the patch is truncated. */
  readonly cut: boolean;
}

/** A commit and its first parent; `undefined` if it has none, or none that was fetched. */
export interface Step {
  readonly sha: string;
  readonly parent: string | undefined;
}

/** The commit against its parent; against nothing without one. */
export async function readChange(git: GitReader, step: Step): Promise<Change> {
  const { stdout, cut } = await git.askPartly('changes', [lineOf(step)], LIST_BYTES + PATCH_BYTES);
  return parseChange(stdout, cut);
}

/** The same for several commits in one question. Without those that exceed the limit together; rejects if one cannot be read. */
export async function readChanges(
  git: GitReader,
  steps: readonly Step[],
): Promise<ReadonlyMap<string, Change>> {
  // Names no object, so it is repeated in the answer, where it ends a change.
  const end = `culprit.${randomUUID()}`;
  const lines = steps.flatMap((step) => [lineOf(step), end]);
  const { stdout } = await git.askPartly('changes', lines, LIST_BYTES + PATCH_BYTES);
  const found = new Map<string, Change>();
  let from = 0;
  for (const { sha } of steps) {
    const to = stdout.indexOf(`${end}\n`, from, 'latin1');
    if (to < 0) break;
    // A copy, so that one kept change does not keep the memory of all.
    found.set(sha, parseChange(Buffer.from(stdout.subarray(from, to)), false));
    from = to + end.length + 1;
  }
  return found;
}

function lineOf({ sha, parent }: Step): string {
  return parent === undefined ? sha : `${sha} ${parent}`;
}

const BORDER = Buffer.from('\0\0');

/** An empty entry separates the list from the patch. */
function parseChange(output: Buffer, cut: boolean): Change {
  const border = output.indexOf(BORDER);
  if (border < 0) return { list: output, patch: Buffer.alloc(0), cut };
  const patch = output.subarray(border + BORDER.length);
  const tooLong = patch.length > PATCH_BYTES;
  return {
    list: output.subarray(0, border + 1),
    patch: tooLong ? patch.subarray(0, PATCH_BYTES) : patch,
    cut: cut || tooLong,
  };
}

export function diffOf(sha: string, { list, patch, cut }: Change): Diff {
  return { sha, ...parseDiff(parseChangedFiles(list), patch, cut) };
}

export interface LineCounts {
  readonly additions: number;
  readonly deletions: number;
}

/** As `git diff --numstat` counts. `null`: the patch does not show them all. */
export function countsOf({ list, patch, cut }: Change): LineCounts | null {
  // git counts the lines that a file and a link have in common; the patch removes one and adds the other.
  const changesType = parseChangedFiles(list).some(({ sections }) => sections > 1);
  return cut || changesType ? null : countLines(patch);
}

/** Bytes in memory. */
export function sizeOf({ list, patch }: Change): number {
  return list.length + patch.length + 1;
}
