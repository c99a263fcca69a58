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

/** A commit against its first parent; against nothing if it has none, or none that was fetched. */
export async function readChange(git: GitReader, sha: string, parent: string | undefined): Promise<Change> {
  const line = parent === undefined ? sha : `${sha} ${parent}`;
  const { stdout, cut } = await git.askPartly('changes', [line], LIST_BYTES + PATCH_BYTES);
  return parseChange(stdout, cut);
}

const BORDER = Buffer.from('\0\0');

/** An empty entry separates the list from the patch. */
export function parseChange(output: Buffer, cut: boolean): Change {
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
