import type { TextScrubber } from '../scrub-text.js';

/** Code spans and fences, closed by as many backticks as opened them, and the targets of links. */
const PIECES = /(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)|(\]\()([^\s()<>]*)(?=\))/g;

/**
 * Scrubs our own Markdown piece by piece: each code span, fence and link target alone, and the words between them. What is
 * redacted must not reach over a delimiter, or the rest of a code span would become markup.
 */
export function scrubMarkdown(markdown: string, scrub: TextScrubber): string {
  let done = '';
  let from = 0;
  for (const piece of markdown.matchAll(PIECES)) {
    const [whole, ticks, code, target, address = ''] = piece;
    done += scrub(markdown.slice(from, piece.index));
    done += ticks === undefined ? `${target}${scrub(address)}` : `${ticks}${scrub(code ?? '')}${ticks}`;
    from = piece.index + whole.length;
  }
  return done + scrub(markdown.slice(from));
}
