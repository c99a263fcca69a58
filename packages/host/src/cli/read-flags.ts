import { parseArgs } from 'node:util';
import { commandName } from '../config/own-name.js';
import { suggest } from '../config/setting.js';
import { usageError } from './exit-codes.js';

export interface Flag {
  /** Placeholder of the value in help; absent: the flag has no value. */
  readonly value?: string;
  readonly meaning: string;
  /** True: the flag may be repeated. */
  readonly many?: true;
}
export type Flags = Readonly<Record<string, Flag>>;

export interface CommandUsage {
  /** One line for each form, without `culprit`. */
  readonly forms: readonly string[];
  readonly flags: Flags;
  /** Further paragraphs of help. */
  readonly notes?: readonly string[];
  /** False: the command has no result to print as JSON. */
  readonly json?: false;
}

export interface ReadFlags {
  /** Every argument, unread. */
  readonly argv: readonly string[];
  /** Arguments that are no flags, with those after `--`. */
  readonly positionals: readonly string[];
  /** The only positional. Otherwise a usage error with this text. */
  only(problem: string): string;
  has(flag: string): boolean;
  text(flag: string): string | null;
  all(flag: string): readonly string[];
  /** A whole number from 1 to `most`. */
  count(flag: string, otherwise: number, most: number): number;
  oneOf<Choice extends string>(flag: string, choices: readonly Choice[], otherwise: Choice): Choice;
}

const JSON_FLAG: Flags = { json: { meaning: 'print the result as JSON on standard output' } };
const HELP_FLAG: Flags = { help: { meaning: 'print this help' } };

/** Reads a command's flags. `--help` is one of them. */
export function readFlags(argv: readonly string[], command: string, usage: CommandUsage): ReadFlags {
  const flags = allFlags(usage);
  refuseUnknown(argv, command, Object.keys(flags));
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
  const text = (flag: string) => {
    const value = values[flag];
    return typeof value === 'string' ? value : null;
  };
  return {
    argv,
    positionals,
    only(problem) {
      const [first, ...rest] = positionals;
      if (first === undefined || rest.length > 0) throw usageError(problem);
      return first;
    },
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

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `30m`, `8h` or `7d`; `null` for any other text. */
export function spanMs(text: string): number | null {
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * (UNIT_MS[unit] ?? 0);
}

/** A command’s flags and those that every command has. */
export function allFlags({ flags, json }: CommandUsage): Flags {
  return { ...flags, ...(json === false ? {} : JSON_FLAG), ...HELP_FLAG };
}

function refuseUnknown(argv: readonly string[], command: string, known: readonly string[]): void {
  for (const argument of argv) {
    if (argument === '--') return;
    const name = /^--([^=]+)/.exec(argument)?.[1];
    if (name === undefined || known.includes(name)) continue;
    const near = suggest(name, known);
    const hint = near === null ? `Run \`${commandName()} ${command} --help\`.` : `Did you mean --${near}?`;
    throw usageError(`--${name} is not a flag of culprit ${command}. ${hint}`);
  }
}
