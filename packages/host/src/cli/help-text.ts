import { allFlags, type CommandUsage } from './read-flags.js';

const MAX_COLUMNS = 90;
/** Narrower terminals wrap the lines themselves. */
const MIN_COLUMNS = 40;

/** What `culprit COMMAND --help` prints, wrapped to the terminal. */
export function helpOf(
  name: string,
  summary: string,
  usage: CommandUsage,
  columns: number = columnsOf(process.stdout),
): string {
  const forms = usage.forms.flatMap((form, index) => {
    const [first = '', ...rest] = wrapped(`culprit ${form}`, columns - 7);
    return [`${index === 0 ? 'Usage:' : '      '} ${first}`, ...rest.map((line) => `           ${line}`)];
  });
  const flags = Object.entries(allFlags(usage)).flatMap(([flag, { value, meaning }]) => [
    `  --${flag}${value === undefined ? '' : ` ${value}`}`,
    ...wrapped(sentence(meaning), columns - 6).map((line) => `      ${line}`),
  ]);
  const notes = (usage.notes ?? []).flatMap((note) => ['', ...wrapped(note, columns)]);
  const head = wrapped(`culprit ${name}: ${summary}.`, columns);
  return `${[...head, '', ...forms, '', ...flags, ...notes].join('\n')}\n`;
}

/** The width of a terminal, at most 90 columns; 90 for a file or a pipe. */
export function columnsOf({ columns }: { readonly columns?: number }): number {
  return Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, columns ?? MAX_COLUMNS));
}

/** With a capital letter and a full stop; a remark in parentheses may follow it. */
function sentence(text: string): string {
  const end = /\.( \([^()]*\))?$/.test(text) ? '' : '.';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;
}

/** Lines of at most `columns` characters, as long as no single word is longer. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
