import type { DiffFile, DiffHunk } from '@culprit/core';
import { decode } from './text.js';

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
