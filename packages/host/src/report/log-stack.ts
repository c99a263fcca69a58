import { stripVTControlCharacters } from 'node:util';
import { parseStack } from '@culprit/core/internal/pipeline/parse-stack/parse-stack';

/** Characters from the end of a log that are searched: a crash is what the program printed last. */
const SEARCHED = 1_000_000;
/** Prefixes that continuous integration writes before each line: GitHub Actions' time, GitLab's time and stream. */
const PREFIX = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z (?:\d\d[OE][+ ]? ?)?/;
/** A paragraph that continues the stack above it. */
const CONTINUES =
  /^(?:During handling of the above exception|The above exception was the direct cause|goroutine \d)/;

/** The last stack of a log, with its headline; `null` if it has none. */
export function lastStack(log: string): string | null {
  const lines = stripVTControlCharacters(log.slice(-SEARCHED))
    .split(/\r?\n/)
    .map((line) => line.replace(PREFIX, ''));
  const paragraphs = lines
    .join('\n')
    .split(/\n\s*\n/)
    .filter((text) => text.trim() !== '');
  for (let at = paragraphs.length - 1; at >= 0; at--) {
    // A frame has a line number or an address, or starts with `at`. This saves seconds on a long log without a stack.
    if (!/[\s:(,+#]\d|^\s*at /m.test(paragraphs[at] ?? '') || !hasFrames(paragraphs[at] ?? '')) continue;
    let from = at;
    while (
      from > 0 &&
      (CONTINUES.test(start(paragraphs[from])) || CONTINUES.test(start(paragraphs[from - 1])))
    )
      from--;
    return paragraphs.slice(from, at + 1).join('\n\n');
  }
  return null;
}

const start = (paragraph: string | undefined) => (paragraph ?? '').trimStart();

export function hasFrames(text: string): boolean {
  return parseStack(text).exceptions.some(({ frames }) => frames.length > 0);
}
