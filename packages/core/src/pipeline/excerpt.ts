import { scrubLines, type TextScrubber } from './scrub-text.js';

const LINE_CHARS = 400;

/**
 * The lines of a file from `line` minus `around` to `line` plus `around`; `null` if the file or line is missing. They are part of a file that
 * was scrubbed as a whole; scrubbed again, because its evidence may be older than a rule.
 */
export function excerptAround(
  lines: readonly string[] | null | undefined,
  line: number,
  around: number,
  scrub: TextScrubber,
): { readonly from: number; readonly lines: readonly string[] } | null {
  if (!lines || line > lines.length) return null;
  const from = Math.max(1, line - around);
  const clean = scrubLines(lines.slice(from - 1, line + around), scrub, LINE_CHARS);
  return clean && { from, lines: clean };
}
