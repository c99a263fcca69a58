import { scrubLines, type TextScrubber } from './scrub-text.js';

/** Additional lines that the sanitiser reads, for secrets that span several lines. */
const SECRET_LINES = 40;
const LINE_CHARS = 400;

/** Scrubbed lines of a file, from `line` minus `around` to `line` plus `around`; `null` if the file or line is missing. */
export function excerptAround(
  lines: readonly string[] | null | undefined,
  line: number,
  around: number,
  scrub: TextScrubber,
): { readonly from: number; readonly lines: readonly string[] } | null {
  if (!lines || line > lines.length) return null;
  const from = Math.max(1, line - around);
  const first = Math.max(1, from - SECRET_LINES);
  const context = lines.slice(first - 1, line + around + SECRET_LINES);
  const clean = scrubLines(context, scrub, LINE_CHARS);
  return clean && { from, lines: clean.slice(from - first, line + around - first + 1) };
}
