import type { Hunk, HunkLine } from '../../domain/suspect.js';
import type { Diff, DiffFile, DiffHunk } from '../../ports/code-host.js';
import { visible } from '../draft/visible.js';
import { basename } from '../locate/tree-index.js';
import { scrubLines, scrubText as standard, type TextScrubber } from '../scrub-text.js';
import { squash } from './formatting.js';
import type { View } from './types.js';

const MAX_LINES = 12;
const LINE_CHARS = 400;
const SECTION_CHARS = 120;

interface Spot {
  readonly file: DiffFile;
  readonly hunk: DiffHunk;
  /** Index of the hunk's line in the middle of the excerpt. */
  readonly at: number;
  readonly crashed: boolean;
}

interface Quoted extends Omit<Spot, 'crashed'> {
  /** Of the line, without its sign. */
  readonly text: string;
}

/**
 * The part of a diff nearest to the given lines, most important line first. The crashed line is marked if the diff contains
 * it. It is recognised by its text, because its number was different in that commit. Other lines of the stack are not marked.
 */
export function nearestHunk(
  diff: Diff,
  views: readonly View[],
  crashed: readonly View[] = views,
  scrub: TextScrubber = standard,
): Hunk | null {
  const spot = holding(diff, views, crashed) ?? nearest(diff, views);
  return spot && cut(spot, scrub);
}

/** The line that a diff added or removed, as it is shown: white space, quote style and a copied sign do not count. */
export function quotedLine(
  { files }: Pick<Diff, 'files'>,
  quote: string,
  scrub: TextScrubber,
): Quoted | null {
  // Some copy the sign of the diff, too.
  const wanted = [quote, quote.replace(/^[+-]/, '')].map(squash).filter((text) => text !== '');
  for (const file of files)
    for (const hunk of file.hunks)
      for (const [at, line] of hunk.lines.entries()) {
        if (!/^[+-]/.test(line)) continue;
        const text = visible(scrub(line.slice(1)));
        if (wanted.includes(squash(text))) return { file, hunk, at, text: text.trim() };
      }
  return null;
}

/** The part of a diff around a quoted line; `null`: it has no such line. */
export function hunkWith(diff: Diff, quote: string, scrub: TextScrubber): Hunk | null {
  const quoted = quotedLine(diff, quote, scrub);
  return quoted && cut({ ...quoted, crashed: false }, scrub);
}

function holding(diff: Diff, views: readonly View[], crashed: readonly View[]): Spot | null {
  for (const view of views) {
    if (view.text === null || squash(view.text).length < 2) continue;
    const spots = filesOf(diff, view).flatMap((file) =>
      spotsOf(file, view.text ?? '', crashed.includes(view)),
    );
    const distance = ({ hunk }: Spot) => Math.abs(hunk.new_start - view.line);
    const best = spots.sort((a, b) => distance(a) - distance(b))[0];
    if (best) return best;
  }
  return null;
}

function spotsOf(file: DiffFile, text: string, crashed: boolean): Spot[] {
  const added: Spot[] = [];
  for (const hunk of file.hunks) {
    hunk.lines.forEach((line, at) => {
      if (line.startsWith('+') && line.slice(1) === text) added.push({ file, hunk, at, crashed });
    });
  }
  if (added.length > 0) return added;
  for (const hunk of file.hunks) {
    hunk.lines.forEach((line, at) => {
      const same = !line.startsWith('-') && squash(line.slice(1)) === squash(text);
      if (same) added.push({ file, hunk, at, crashed });
    });
  }
  return added;
}

function nearest(diff: Diff, views: readonly View[]): Spot | null {
  for (const view of views) {
    const hunks = filesOf(diff, view).flatMap((file) => file.hunks.map((hunk) => ({ file, hunk })));
    const distance = ({ hunk }: { hunk: DiffHunk }) =>
      Math.max(hunk.new_start - view.line, view.line - hunk.new_start - hunk.new_lines, 0);
    const best = hunks.sort((a, b) => distance(a) - distance(b))[0];
    if (best === undefined) continue;
    const at = best.hunk.lines.findIndex((line) => /^[+-]/.test(line));
    return { ...best, at: Math.max(0, at), crashed: false };
  }
  return null;
}

/** The file of a view in the commit: by its old or new path, else by its file name. */
function filesOf(diff: Diff, view: View): readonly DiffFile[] {
  const same = diff.files.filter(({ path, old_path }) => path === view.path || old_path === view.path);
  if (same.length > 0) return same;
  return diff.files.filter(({ path }) => basename(path) === basename(view.path)).slice(0, 3);
}

function cut({ file, hunk, at, crashed }: Spot, scrub: TextScrubber): Hunk | null {
  const body = hunk.lines.filter((line) => !line.startsWith('\\'));
  const centre = body.indexOf(hunk.lines[at] ?? '', Math.max(0, at - (hunk.lines.length - body.length)));
  const from = Math.max(0, Math.min(centre - MAX_LINES / 2, body.length - MAX_LINES));
  let oldLine = hunk.old_start;
  let newLine = hunk.new_start;
  const numbered = body.map((line): HunkLine & { readonly old: number } => {
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
    const old = oldLine;
    const now = newLine;
    if (kind !== 'added') oldLine++;
    if (kind !== 'removed') newLine++;
    return { kind, text: line.slice(1), line: kind === 'removed' ? null : now, crashed: false, old };
  });
  const window = numbered.slice(from, from + MAX_LINES);
  const clean = scrubLines(
    numbered.map(({ text }) => text),
    scrub,
    LINE_CHARS,
  );
  if (clean === null) return null;
  const texts = clean.slice(from, from + MAX_LINES);
  const lines = window.map(
    ({ kind, line }, index): HunkLine => ({
      kind,
      text: texts[index] ?? '',
      line,
      crashed: crashed && from + index === centre,
    }),
  );
  const oldCount = lines.filter(({ kind }) => kind !== 'added').length;
  const newCount = lines.filter(({ kind }) => kind !== 'removed').length;
  const before = numbered.slice(0, from);
  const newStart = hunk.new_start + before.filter(({ kind }) => kind !== 'removed').length;
  const header = `@@ -${window[0]?.old ?? hunk.old_start},${oldCount} +${newStart},${newCount} @@`;
  const section = scrubLines([hunk.section.trim()], scrub, SECTION_CHARS)?.[0] ?? '';
  return { path: file.path, header: section === '' ? header : `${header} ${section}`, lines };
}
