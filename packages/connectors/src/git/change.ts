import { randomUUID } from 'node:crypto';
import type { Diff } from '@culprit/core/connector';
import type { DiffFile, DiffHunk } from '@culprit/core/internal/ports/code-host';
import type { GitReader } from './client.js';
import { decode } from './text.js';

const NEWLINE = 10;
const AT = 64;
const PLUS = 43;
const MINUS = 45;
const SPACE = 32;
const HUNK_COUNTS = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** A header of a hunk is shorter, apart from the text after it. */
const HEADER_BYTES = 100;

/** Lines that a patch adds and removes. Hunks state how many lines follow, so content that looks like a header is content. */
export function countLines(patch: Buffer): { readonly additions: number; readonly deletions: number } {
  const counts = { additions: 0, deletions: 0 };
  let before = 0;
  let after = 0;
  for (let at = 0; at < patch.length; ) {
    const found = patch.indexOf(NEWLINE, at);
    const end = found < 0 ? patch.length : found;
    const kind = patch[at];
    if (before > 0 || after > 0) {
      if (kind === PLUS) counts.additions += 1;
      if (kind === MINUS) counts.deletions += 1;
      if (kind === PLUS || kind === SPACE) after -= 1;
      if (kind === MINUS || kind === SPACE) before -= 1;
    } else if (kind === AT) {
      const header = HUNK_COUNTS.exec(patch.toString('latin1', at, Math.min(end, at + HEADER_BYTES)));
      before = header === null ? 0 : Number(header[1] ?? 1);
      after = header === null ? 0 : Number(header[2] ?? 1);
    }
    at = end + 1;
  }
  return counts;
}

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
interface Step {
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

/** Beyond these limits a file's hunks are omitted and the diff is marked as truncated. */
const MAX = { files: 1_000, fileBytes: 512 * 1024, fileLines: 5_000, lines: 50_000 } as const;

const STATUS: Readonly<Record<string, DiffFile['status']>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  T: 'modified',
  R: 'renamed',
};

interface ChangedFile {
  readonly path: string;
  readonly old_path: string;
  readonly status: DiffFile['status'];
  /** A change of type (file to link, for example) has two sections: a removal and an addition. */
  readonly sections: number;
}

/** Parses `git diff-tree -r -z --raw`: the files in the order of the patch. */
export function parseChangedFiles(output: Buffer): readonly ChangedFile[] {
  const tokens = decode(output).split('\0');
  const files: ChangedFile[] = [];
  for (let at = 0; at < tokens.length; ) {
    const letter = /^:\d{6} \d{6} [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/.exec(tokens[at] ?? '')?.[1];
    if (letter === undefined) {
      at += 1;
      continue;
    }
    const old_path = tokens[at + 1] ?? '';
    const renamed = letter === 'R' || letter === 'C';
    files.push({
      old_path,
      path: renamed ? (tokens[at + 2] ?? '') : old_path,
      status: STATUS[letter] ?? 'modified',
      sections: letter === 'T' ? 2 : 1,
    });
    at += renamed ? 3 : 2;
  }
  return files;
}

/**
 * Combines the files and the patch of one commit. `cut`: the patch was truncated, so its last section is incomplete.
 */
export function parseDiff(
  files: readonly ChangedFile[],
  patch: Buffer,
  cut: boolean,
): { readonly files: readonly DiffFile[]; readonly truncated: boolean } {
  const all = splitSections(patch);
  const whole = cut ? all.slice(0, -1) : all;
  let truncated = cut || files.length > MAX.files;
  let lines = 0;
  let at = 0;
  const answer = files.slice(0, MAX.files).map(({ sections, ...file }) => {
    const own = whole.slice(at, at + sections);
    at += sections;
    const hunks = own.length < sections ? null : own.flatMap(parseSection);
    const count = hunks?.reduce((sum, hunk) => sum + hunk.lines.length, 0) ?? 0;
    const keep =
      hunks !== null &&
      own.every((section) => section.length <= MAX.fileBytes) &&
      count <= MAX.fileLines &&
      lines + count <= MAX.lines;
    if (!keep) truncated = true;
    else lines += count;
    return { ...file, hunks: keep ? hunks : [] };
  });
  return { files: answer, truncated };
}

const SECTION = Buffer.from('\ndiff --git ');

/** Content lines start with ` `, `+`, `-` or `\`, so only a section header can start like this. */
function splitSections(patch: Buffer): readonly Buffer[] {
  const sections: Buffer[] = [];
  for (let from = 0; from < patch.length; ) {
    const next = patch.indexOf(SECTION, from);
    const end = next < 0 ? patch.length : next + 1;
    sections.push(patch.subarray(from, end));
    from = end;
  }
  return sections;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

function parseSection(section: Buffer): readonly DiffHunk[] {
  if (section.length > MAX.fileBytes) return [];
  const lines = decode(section).split('\n');
  const hunks: DiffHunk[] = [];
  for (let at = 0; at < lines.length; ) {
    const match = HUNK.exec(lines[at] ?? '');
    at += 1;
    if (!match) continue;
    const [old_start, old_lines, new_start, new_lines] = [
      Number(match[1]),
      Number(match[2] ?? 1),
      Number(match[3]),
      Number(match[4] ?? 1),
    ];
    const body = takeBody(lines, at, old_lines, new_lines);
    at = body.next;
    hunks.push({
      old_start,
      old_lines,
      new_start,
      new_lines,
      section: (match[5] ?? '').replace(/\r$/, ''),
      lines: body.lines,
    });
  }
  return hunks;
}

/** Counts lines, so that content that looks like a header is treated as content. */
function takeBody(
  lines: readonly string[],
  from: number,
  oldLines: number,
  newLines: number,
): { readonly lines: readonly string[]; readonly next: number } {
  const body: string[] = [];
  let before = oldLines;
  let after = newLines;
  let at = from;
  for (; at < lines.length && (before > 0 || after > 0); at += 1) {
    const line = lines[at] ?? '';
    const kind = line[0];
    if (kind === '\\') continue;
    if (kind !== '+' && kind !== '-' && kind !== ' ') break;
    if (kind !== '+') before -= 1;
    if (kind !== '-') after -= 1;
    body.push(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
  return { lines: body, next: at };
}
