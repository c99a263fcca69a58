import { definitionIn } from './code-lines.js';

/** First and last line, 1-based. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Maximum distance of the function's first and last line from the crashed line. */
const FAR = 300;

const indentation = (line: string): number => /^[ \t]*/.exec(line)?.[0].replace(/\t/g, '    ').length ?? 0;

/**
 * First and last line (1-based) of the function around a line, by indentation: from the nearest definition with less
 * indentation to the last line before the indentation returns to that of the definition. `null` if none is found.
 */
export function functionExtent(lines: readonly string[], line: number): Extent | null {
  const text = lines[line - 1];
  if (text === undefined) return null;
  let limit = text.trim() === '' ? Number.POSITIVE_INFINITY : indentation(text);
  const own = definitionIn(text);
  let start = own !== null ? line : 0;
  for (let at = line - 1; start === 0 && at >= 1 && at > line - FAR; at--) {
    const above = lines[at - 1] ?? '';
    if (above.trim() === '' || indentation(above) >= limit) continue;
    limit = indentation(above);
    const name = definitionIn(above)?.name;
    if (name !== undefined) start = at;
  }
  if (start === 0) return null;
  const depth = indentation(lines[start - 1] ?? '');
  let end = Math.max(line, start);
  for (let at = end + 1; at <= lines.length && at < line + FAR; at++) {
    const below = lines[at - 1] ?? '';
    if (below.trim() !== '' && indentation(below) <= depth) {
      if (/^\s*[})\]]|^\s*end\b/.test(below)) end = at;
      break;
    }
    end = at;
  }
  return { start, end };
}
