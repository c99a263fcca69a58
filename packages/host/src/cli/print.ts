import { forTerminal, jsonText, print, styleFor } from '../log/terminal.js';

/** Text from outside on one line. */
export function oneLine(text: string): string {
  return forTerminal(text).replace(/[\n\t]/g, '·');
}

/** Columns as wide as their widest cell; the last one is not padded. `shown` styles a padded cell. */
export function tableText(
  rows: readonly (readonly string[])[],
  shown: (cell: string, row: number, column: number) => string = (cell) => cell,
): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, [...cell].length);
  }
  const lines = rows.map((row, index) =>
    row
      .map((text, column) => {
        const cell = oneLine(text);
        const space = column === row.length - 1 ? '' : ' '.repeat((widths[column] ?? 0) - [...cell].length);
        return shown(cell, index, column) + space;
      })
      .join('  '),
  );
  return `${lines.join('\n')}\n`;
}

/** A table with a dim head. */
export function listText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const style = styleFor(process.stdout);
  return tableText([head, ...rows], (cell, row) => (row === 0 ? style('dim', cell) : cell));
}

/** `2026-11-22 08:00`, of ISO 8601. */
export function minuteText(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}

export function clipped(text: string, most: number): string {
  const characters = [...oneLine(text)];
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}

/** Prints one JSON document, for programs. */
export function printJson(value: unknown): void {
  print(`${jsonText(value, 2)}\n`);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
