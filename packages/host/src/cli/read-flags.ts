import { parseArgs } from 'node:util';
import { suggest } from '../config/suggest.js';
import { usageError } from './exit-codes.js';

export interface Flag {
  /** What stands for the value in help; absent: the flag takes none. */
  readonly value?: string;
  readonly meaning: string;
  /** True: it may be given several times. */
  readonly many?: true;
}
export type Flags = Readonly<Record<string, Flag>>;

export interface CommandUsage {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** One line for each form, without `culprit`. */
  readonly forms: readonly string[];
  readonly flags: Flags;
  /** Further lines for help. */
  readonly notes?: readonly string[];
}

export interface ReadFlags {
  readonly positionals: readonly string[];
  has(flag: string): boolean;
  text(flag: string): string | null;
  all(flag: string): readonly string[];
  /** A whole number from 1 to `most`. */
  count(flag: string, otherwise: number, most: number): number;
  oneOf<Choice extends string>(flag: string, choices: readonly Choice[], otherwise: Choice): Choice;
}

const JSON_FLAG: Flags = { json: { meaning: 'the result as JSON on standard output' } };
const HELP_FLAG: Flags = { help: { meaning: 'this' } };

/** Reads a command's flags; `null` if help was asked for and printed. */
export function readFlags(argv: readonly string[], usage: CommandUsage): ReadFlags | null {
  const flags = allFlags(usage);
  refuseUnknown(argv, usage.name, Object.keys(flags));
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value, many }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: many === true,
        ...(name === 'help' ? { short: 'h' } : {}),
      },
    ]),
  );
  const { values, positionals } = parseArgs({
    args: [...argv],
    options,
    strict: true,
    allowPositionals: true,
  });
  if (values.help === true) {
    process.stdout.write(helpOf(usage));
    return null;
  }
  const text = (flag: string) => {
    const value = values[flag];
    return typeof value === 'string' ? value : null;
  };
  return {
    positionals,
    has: (flag) => values[flag] === true,
    text,
    all: (flag) => (values[flag] as string[] | undefined) ?? [],
    count(flag, otherwise, most) {
      const given = text(flag);
      if (given === null) return otherwise;
      if (/^\d{1,9}$/.test(given) && Number(given) >= 1 && Number(given) <= most) return Number(given);
      throw usageError(`--${flag} must be a whole number from 1 to ${most}.`);
    },
    oneOf(flag, choices, otherwise) {
      const given = text(flag);
      const choice = given === null ? otherwise : choices.find((one) => one === given);
      if (choice !== undefined) return choice;
      throw usageError(`--${flag} must be one of ${choices.join(', ')}.`);
    },
  };
}

/** What `culprit COMMAND --help` prints. */
export function helpOf(usage: CommandUsage): string {
  const rows = Object.entries(allFlags(usage)).map(
    ([name, { value, meaning }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, meaning] as const,
  );
  const width = Math.max(...rows.map(([flag]) => flag.length));
  const forms = usage.forms.map((form, index) => `${index === 0 ? 'Usage:' : '      '} culprit ${form}`);
  const lines = rows.map(([flag, meaning]) => `  ${flag.padEnd(width)}  ${meaning}`);
  const notes = usage.notes === undefined ? [] : ['', ...usage.notes];
  return `culprit ${usage.name}: ${usage.summary}\n\n${[...forms, '', ...lines, ...notes].join('\n')}\n`;
}

function allFlags({ flags }: CommandUsage): Flags {
  return { ...flags, ...JSON_FLAG, ...HELP_FLAG };
}

function refuseUnknown(argv: readonly string[], command: string, known: readonly string[]): void {
  for (const argument of argv) {
    if (argument === '--') return;
    const name = /^--([^=]+)/.exec(argument)?.[1];
    if (name === undefined || known.includes(name)) continue;
    const near = suggest(name, known);
    const hint = near === null ? `Run \`culprit ${command} --help\`.` : `Did you mean --${near}?`;
    throw usageError(`--${name} is not a flag of culprit ${command}. ${hint}`);
  }
}
