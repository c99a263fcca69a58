import { usageError } from './exit-codes.js';
import type { ReadFlags } from './read-flags.js';

/** The dead letters that a command names: by number, or all with `--all`. `form`: of the command. `source`: the command that lists them. */
export function deadLetterNumbers(
  flags: ReadFlags,
  numbers: readonly string[],
  form: string,
  source: string,
): number[] | 'all' {
  if (flags.has('all') === numbers.length > 0)
    throw usageError(`Name the dead letters: ${form} NUMBER…, or --all.`);
  return flags.has('all') ? 'all' : numbers.map((text) => deadLetterNumber(text, source));
}

export function deadLetterNumber(text: string, source: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw usageError(`${JSON.stringify(text)} is not a number from \`${source}\`.`);
}
