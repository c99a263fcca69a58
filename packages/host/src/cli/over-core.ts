import { type Client, OPERATIONS, type OperationId } from '@culprit/client';
import { print } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import type { CommandModule } from './commands.js';
import { EXIT, type ExitCode, unknownWord, usageError } from './exit-codes.js';
import { printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

/** What a form of a command is called with. */
export interface Given {
  /** Each operation of core. */
  readonly api: Pick<Client, OperationId>;
  readonly flags: ReadFlags;
  /** The arguments after the subcommand, in the order of the form. */
  readonly args: readonly string[];
}

/** One form of a command, such as `releases show VERSION`. */
export interface Form {
  /** Arguments and flags as help shows them, `VERSION [--project NAME]`. The arguments are also read by it. */
  readonly takes: string;
  run(given: Given): Promise<ExitCode>;
}

interface FormParts<Value> {
  call(given: Given): Promise<Value> | Value;
  /** The result for a person. */
  text(value: Value, given: Given): string;
  /** What `--json` prints; default: the result. */
  json?(value: Value, given: Given): unknown;
  /** Default: success. */
  exit?(value: Value, given: Given): ExitCode;
}

/** A form that calls core and prints one result, as JSON with `--json`. */
export function form<Value>(takes: string, { call, text, json, exit }: FormParts<Value>): Form {
  return {
    takes,
    async run(given) {
      const value = await call(given);
      if (given.flags.has('json')) printJson(json === undefined ? value : json(value, given));
      else print(text(value, given));
      return exit?.(value, given) ?? EXIT.done;
    },
  };
}

/**
 * A command over a running core, from the table of its forms by subcommand. `[list]`: the subcommand may be left out. An empty name:
 * the command has no subcommands.
 */
export function overCore(
  name: string,
  { flags = {}, notes = [] }: Partial<CommandUsage>,
  forms: Readonly<Record<string, Form>>,
): CommandModule {
  const words = Object.keys(forms).map((word) => word.replace(/[[\]]/g, ''));
  return {
    usage: {
      forms: Object.entries(forms).map(([word, { takes }]) =>
        [name, word, takes, '[flags]'].filter((part) => part !== '').join(' '),
      ),
      flags: { ...flags, ...CLIENT_FLAGS },
      notes,
    },
    async run(given) {
      const [word = words.includes('list') ? 'list' : '', ...rest] = words.includes('')
        ? ['', ...given.positionals]
        : given.positionals;
      const chosen = Object.hasOwn(forms, word) ? forms[word] : forms[`[${word}]`];
      if (chosen === undefined) throw unknownWord('subcommand', word, words);
      checkArguments([name, word].join(' ').trim(), chosen.takes, rest);
      return chosen.run({ api: operationsOf(given), flags: given, args: rest });
    },
  };
}

/** Core's operations. The first that is called looks for core and a token, so that wrong flags are reported before a missing token. */
function operationsOf(flags: ReadFlags): Given['api'] {
  let client: Client | null = null;
  const call = (id: string) => async (input: object) => {
    client ??= connect(flags);
    return (client[id as OperationId] as (input: object) => Promise<unknown>)(input);
  };
  return Object.fromEntries(Object.keys(OPERATIONS).map((id) => [id, call(id)])) as unknown as Given['api'];
}

/** @throws a usage error if an argument is missing or too many. `RUN`, `[EDGE]` (optional), `RUN…` (one or more). */
function checkArguments(command: string, takes: string, given: readonly string[]): void {
  const parts = takes.split(' ');
  const flag = parts.findIndex((part) => /^\[?-/.test(part));
  const places = parts.slice(0, flag < 0 ? parts.length : flag).filter((part) => part !== '');
  if (places.length === 0 && given.length > 0 && !command.includes(' '))
    throw usageError(`culprit ${command} takes only flags.`);
  const missing = places[given.length];
  if (missing !== undefined && !/^\[|--/.test(missing)) {
    const [noun = ''] = missing.toLowerCase().split(/[|….]/);
    const article = /^[aeiou]/.test(noun) ? 'An' : 'A';
    throw usageError(
      `${article} ${noun.replace('_', ' ')} is missing: culprit ${command} ${places.join(' ')}.`,
    );
  }
  if (given.length > places.length && !/…|\.\.\./.test(places.at(-1) ?? ''))
    throw usageError(
      `Too many arguments.${takes.includes('NAME') ? ' Put a name with spaces in quotes.' : ''}`,
    );
}
