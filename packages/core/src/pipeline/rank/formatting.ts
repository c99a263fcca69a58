import type { DiffFile, DiffHunk } from '../../ports/code-host.js';
import { assignedIn } from './code-lines.js';
import { speakingLines, withoutTrailingComment } from './inert-lines.js';

/** A run of removed and added lines with no unchanged line between them. */
export interface ChangeBlock {
  readonly removed: readonly { readonly text: string; readonly line: number }[];
  readonly added: readonly { readonly text: string; readonly line: number }[];
}

/** Text without what formatters change: white space, quote style, semicolons, commas before a closing bracket. */
export function squash(text: string): string {
  return text
    .replace(/;/g, '')
    .replace(/(\w)\s+(?=\w)/g, '$1 ')
    .replace(/(?<!\w)\s+|\s+(?!\w)/g, '')
    .replace(/["`]/g, "'")
    .replace(/,(?=[)\]}]|$)/g, '');
}

/** Languages with significant indentation. */
const BY_INDENTATION = /\.(?:pyi?|ya?ml|coffee|sass|haml|slim|pug|nim|hs|fsx?)$/i;

export function changeBlocks(hunk: DiffHunk): readonly ChangeBlock[] {
  const blocks: ChangeBlock[] = [];
  let removed: { text: string; line: number }[] = [];
  let added: { text: string; line: number }[] = [];
  let { oldLine, newLine } = starts(hunk);
  const close = () => {
    if (removed.length + added.length > 0) blocks.push({ removed, added });
    removed = [];
    added = [];
  };
  for (const line of hunk.lines) {
    const text = line.slice(1);
    if (line.startsWith('-')) removed.push({ text, line: oldLine++ });
    else if (line.startsWith('+')) added.push({ text, line: newLine++ });
    else if (!line.startsWith('\\')) {
      close();
      oldLine++;
      newLine++;
    }
  }
  close();
  return blocks;
}

/** True: the block's meaning is unchanged: only formatting, comments or names of local variables differ. */
function isFormatting(block: ChangeBlock, path: string): boolean {
  return isSameText(block, path) || isSameCode(block, path) || renamesLocals(block);
}

/** Line by line the same but for comments at the ends. */
function isSameCode({ removed, added }: ChangeBlock, path: string): boolean {
  const code = ({ text }: ChangeBlock['added'][number]) => withoutTrailingComment(text, path).trimEnd();
  return (
    removed.length > 0 &&
    removed.length === added.length &&
    removed.every((line, index) => code(line) === code(added[index] ?? line))
  );
}

function isSameText({ removed, added }: ChangeBlock, path: string): boolean {
  if (!sameLetters(removed, added)) return false;
  const textOf = (lines: ChangeBlock['added']): string => {
    if (!BY_INDENTATION.test(path)) return squash(lines.map(({ text }) => text).join('\n'));
    return lines.map(({ text }) => /^\s*/.exec(text)?.[0] + squash(text)).join('\n');
  };
  return textOf(removed) === textOf(added);
}

/** Compares the text that no formatter changes. Cheap, because the first words usually differ unless the change is formatting. */
function sameLetters(removed: ChangeBlock['removed'], added: ChangeBlock['added']): boolean {
  const before = letters(removed);
  const after = letters(added);
  for (;;) {
    const letter = before();
    if (letter !== after()) return false;
    if (letter === END) return true;
  }
}

const END = -1;

/** Returns the next letter or digit of the lines on each call. */
function letters(lines: ChangeBlock['added']): () => number {
  let line = 0;
  let at = 0;
  return () => {
    for (; line < lines.length; line++, at = 0) {
      const text = lines[line]?.text ?? '';
      while (at < text.length) {
        const code = text.charCodeAt(at++);
        if ((code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122))
          return code;
      }
    }
    return END;
  };
}

/** For an empty side git gives the number of the line before it. */
function starts(hunk: DiffHunk): { oldLine: number; newLine: number } {
  return {
    oldLine: hunk.old_start + (hunk.old_lines === 0 ? 1 : 0),
    newLine: hunk.new_start + (hunk.new_lines === 0 ? 1 : 0),
  };
}

/** Blocks that change more than formatting. */
export function ownBlocks(file: DiffFile): readonly ChangeBlock[] {
  return file.hunks.flatMap((hunk) => changeBlocks(hunk).filter((block) => !isFormatting(block, file.path)));
}

/** A directive counts as formatting only with at least this many formatted lines; alone it changes how the file runs. */
const FORMATTED_BESIDE = 5;

/**
 * True: the file was only moved or formatted, or only its comments changed. A change without hunks was too large to show
 * and counts as a change, unless it is a rename.
 */
export function isOnlyForm(file: DiffFile, own: readonly ChangeBlock[] = ownBlocks(file)): boolean {
  if (file.status === 'renamed' && file.hunks.length === 0) return true;
  if (file.status === 'added' || file.status === 'removed') return false;
  if (file.hunks.length === 0) return false;
  let directives = 0;
  for (const { removed, added } of own) {
    const before = speakingLines(removed, file.path);
    const after = speakingLines(added, file.path);
    if (!isFormatting({ removed: before.code, added: after.code }, file.path)) return false;
    directives += Math.abs(after.directives - before.directives);
  }
  if (directives === 0) return true;
  const formatted = file.hunks.flatMap(changeBlocks).reduce((sum, { removed }) => sum + removed.length, 0);
  return formatted >= FORMATTED_BESIDE * directives;
}

/**
 * A line's number in the old version, if the change only reformatted it; else `null`. `force`: the commit is known to be
 * formatting, so the most similar removed line is used.
 */
export function lineBefore(file: DiffFile, line: number, force: boolean): number | null {
  let shift = 0;
  for (const hunk of file.hunks) {
    const { oldLine, newLine } = starts(hunk);
    if (line < newLine) break;
    if (line >= newLine + hunk.new_lines) {
      shift = oldLine + hunk.old_lines - (newLine + hunk.new_lines);
      continue;
    }
    let before = oldLine - newLine;
    for (const block of changeBlocks(hunk)) {
      const first = block.added[0]?.line ?? Number.POSITIVE_INFINITY;
      const index = block.added.findIndex((added) => added.line === line);
      if (index >= 0) return originIn(block, index, force, file.path);
      if (line < first && line + before < (block.removed[0]?.line ?? first)) break;
      before += block.removed.length - block.added.length;
    }
    return line + before;
  }
  return line + shift;
}

function originIn(block: ChangeBlock, index: number, force: boolean, path: string): number | null {
  const wanted = squash(block.added[index]?.text ?? '');
  if (wanted === '') return null;
  const formatting = isFormatting(block, path);
  if (!formatting && !force && BY_INDENTATION.test(path)) return null;
  const same = block.removed.find(({ text }) => squash(text) === wanted);
  if (same) return same.line;
  if (formatting) {
    const inPlace = isSameCode(block, path) || renamesLocals(block);
    return inPlace ? (block.removed[index]?.line ?? null) : atOffset(block, index);
  }
  return force ? mostSimilar(block, wanted) : null;
}

/** Without formatting the block's text is equal, so the old line is the one with the new line's first character. */
function atOffset(block: ChangeBlock, index: number): number | null {
  const length = (text: string) => squash(text).replace(/[\s,]/g, '').length;
  let left = block.added.slice(0, index).reduce((sum, { text }) => sum + length(text), 0);
  for (const { text, line } of block.removed) {
    if (left < length(text)) return line;
    left -= length(text);
  }
  return block.removed.at(-1)?.line ?? null;
}

function mostSimilar(block: ChangeBlock, wanted: string): number | null {
  const words = new Set(wanted.match(/\w+/g) ?? []);
  let best: { line: number; shared: number } | null = null;
  for (const { text, line } of block.removed) {
    const shared = (text.match(/\w+/g) ?? []).filter((word) => words.has(word)).length;
    if (shared > (best?.shared ?? 0)) best = { line, shared };
  }
  return best?.line ?? null;
}

interface Lines {
  readonly removed: readonly { readonly text: string }[];
  readonly added: readonly { readonly text: string }[];
}

/** Larger blocks are not compared. */
const MAX_LINES = 60;
const TOKEN = /[A-Za-z_]\w*|\d[\w.]*|[^\s\w]/g;

/**
 * True: the lines differ only in names of local variables. Each old name has one new name and vice versa, is assigned here,
 * is used at least twice, and is neither a member nor a function.
 */
function renamesLocals({ removed, added }: Lines): boolean {
  if (removed.length === 0 || removed.length !== added.length || removed.length > MAX_LINES) return false;
  const renamed = new Map<string, string>();
  const uses = new Map<string, number>();
  const taken = new Map<string, string>();
  for (const [index, { text }] of removed.entries()) {
    const before = text.match(TOKEN) ?? [];
    const after = added[index]?.text.match(TOKEN) ?? [];
    if (before.length !== after.length) return false;
    for (const [at, old] of before.entries()) {
      const now = after[at] ?? '';
      if ((renamed.get(old) ?? now) !== now || (taken.get(now) ?? old) !== old) return false;
      if (old !== now && !isLocal(before, at)) return false;
      if (!/^[A-Za-z_]/.test(old) && old !== now) return false;
      renamed.set(old, now);
      taken.set(now, old);
      if (old !== now) uses.set(old, (uses.get(old) ?? 0) + 1);
    }
  }
  const assigned = new Set(removed.map(({ text }) => assignedIn(text)));
  return uses.size > 0 && [...uses].every(([name, count]) => count >= 2 && assigned.has(name));
}

function isLocal(tokens: readonly string[], at: number): boolean {
  const previous = tokens[at - 1];
  return previous !== '.' && previous !== '>' && previous !== '@' && tokens[at + 1] !== '(';
}
