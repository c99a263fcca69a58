import { wantsColour } from '../config/child-env.js';

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

/** Styles text if the stream shows colours. */
export function styleFor(stream: { readonly isTTY?: boolean }): (style: Style, text: string) => string {
  const colour = wantsColour(stream);
  return (style, text) => (colour ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
}

/** Untrusted text must not control the terminal, and stays on one line. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not reach the terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '·');
}

/** The same for text with several lines. */
export function plainLines(text: string): string {
  return text
    .split('\n')
    .map((line) => plain(line.replaceAll('\t', '  ')))
    .join('\n');
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
      .map((cell, column) => {
        const space = column === row.length - 1 ? '' : ' '.repeat((widths[column] ?? 0) - [...cell].length);
        return shown(cell, index, column) + space;
      })
      .join('  '),
  );
  return `${lines.join('\n')}\n`;
}

export function clipped(text: string, most: number): string {
  const characters = [...plain(text)];
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}

/** One JSON document, for programs. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
