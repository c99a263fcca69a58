import { QUESTION_LIMITS, type QuestionProblem } from '../../domain/question.js';
import { clip, visible } from '../draft/visible.js';
import { scrubFile, type TextScrubber } from '../scrub-text.js';

/** Lines of an answer before they are bounded, or why there are none. */
export type Reply = { readonly lines: readonly string[]; readonly more?: boolean } | QuestionProblem;

/** Characters of a line that are shown, and that are scrubbed: half a secret matches no rule. */
const LINE_CHARS = 400;
const READ_CHARS = 4_000;

/** The lines as one text: scrubbed, visible, each on one line, within the limit. */
export function answerText(lines: readonly string[], scrub: TextScrubber) {
  const { chars } = QUESTION_LIMITS;
  const kept: string[] = [];
  let left = chars;
  for (const line of lines) {
    const one = line.replace(/\s+$/, '').replace(/\s*[\r\n]+\s*/g, ' ⏎ ');
    left -= Math.min(one.length, LINE_CHARS) + 1;
    if (left < 0) break;
    kept.push(one.slice(0, READ_CHARS));
  }
  const shown = scrub(kept.join('\n'))
    .split('\n')
    .map((line) => clip(visible(line), LINE_CHARS))
    .join('\n');
  return { text: clip(shown, chars), more: kept.length < lines.length || shown.length > chars };
}

/** Lines on either side that are scrubbed with the shown ones: a secret may span several lines. */
const AROUND = 100;

/** The lines from `from` to `to`, 1-based, both included, scrubbed. */
export function cleanLines(
  lines: readonly string[],
  from: number,
  to: number,
  scrub: TextScrubber,
): readonly string[] {
  const start = Math.max(1, from - AROUND);
  const clean = scrubFile(lines.slice(start - 1, to + AROUND).join('\n'), scrub).split('\n');
  return clean.slice(from - start, from - start + Math.min(to, lines.length) - from + 1);
}

/** The first 12 digits: enough in any repository. */
export const short = (sha: string): string => sha.slice(0, 12);

/** `2026-01-05` */
export const day = (iso: string): string => iso.slice(0, 10);
