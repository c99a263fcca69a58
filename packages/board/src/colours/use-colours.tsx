import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { chunk } from '../parts/chunk.js';
import { visible } from '../parts/text.js';
import { languageOf } from './kinds.js';

/** Without its chunk the code stays plain. */
const useReader = chunk(
  () => import('./colours.js'),
  () => {},
);

/** Beyond these, code stays plain: a hostile line must not keep the tokeniser busy. */
const MAX_CHARS = 8_000;
const LONGEST_LINE = 300;

/** Draws each line of a file: in colours once their chunk has loaded and if the language is known, else plain. */
export function useColours(lines: readonly string[], file: string | null): (at: number) => ComponentChildren {
  const language = isShort(lines) ? languageOf(file) : null;
  const reader = useReader(language !== null);
  const text = lines.join('\n');
  const coloured = useMemo(
    () => (reader === null || language === null ? null : reader.colourLines(lines, language)),
    [text, language, reader],
  );
  return (at) => {
    const pieces = coloured?.[at];
    if (pieces === undefined) return visible(lines[at] ?? '');
    return pieces.map(({ text: piece, kind }, index) =>
      kind === null ? (
        visible(piece)
      ) : (
        <span key={index} class={`code-${kind}`}>
          {visible(piece)}
        </span>
      ),
    );
  };
}

function isShort(lines: readonly string[]): boolean {
  const chars = lines.reduce((sum, line) => sum + line.length, 0);
  return chars <= MAX_CHARS && lines.every((line) => line.length <= LONGEST_LINE);
}
