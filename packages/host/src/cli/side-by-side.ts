import type { Style, styleFor } from '../log/terminal.js';
import { wrapped } from './help-text.js';

/** Its indentation is kept when it is wrapped. */
export interface Line {
  readonly text: string;
  readonly style: Style | null;
}

/** Narrower terminals have one text below the other. */
const LEAST_COLUMNS = 80;
const GAP = ' │ ';
const INDENT = '  ';

/** Texts in columns of equal width, wrapped. */
export function sideBySide(
  texts: readonly (readonly Line[])[],
  columns: number,
  style: ReturnType<typeof styleFor>,
): string {
  const shown = ({ text, style: how }: Line) => (how === null ? text : style(how, text));
  const beside = columns >= LEAST_COLUMNS ? texts.length : 1;
  const width = Math.floor((columns - INDENT.length - GAP.length * (beside - 1)) / beside);
  const folded = texts.map((lines) => lines.flatMap((line) => fold(line, width)));
  if (beside === 1)
    return `${folded.map((lines) => lines.map((line) => `${INDENT}${shown(line)}\n`).join('')).join('\n')}`;
  const height = Math.max(...folded.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) => {
    const cells = folded.map((lines, column) => {
      const line = lines[row] ?? { text: '', style: null };
      const isLast = column === folded.length - 1;
      return shown(line) + (isLast ? '' : ' '.repeat(Math.max(0, width - [...line.text].length)));
    });
    return `${INDENT}${cells.join(GAP).trimEnd()}\n`;
  }).join('');
}

function fold({ text, style }: Line, width: number): readonly Line[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const room = Math.max(1, width - indent.length);
  const parts = wrapped(text.slice(indent.length), room).flatMap((part) => broken(part, room));
  return parts.map((part) => ({ text: indent + part, style }));
}

/** A word that is longer than a line. */
function broken(text: string, room: number): readonly string[] {
  const characters = [...text];
  if (characters.length <= room) return [text];
  return Array.from({ length: Math.ceil(characters.length / room) }, (_, at) =>
    characters.slice(at * room, (at + 1) * room).join(''),
  );
}
