import type { Command } from '../commands.js';
import { allFlags } from '../read-flags.js';

export interface FlagWords {
  readonly name: string;
  readonly meaning: string;
  /** `none`: the flag has no value. `path`: a file or folder. A list: the possible values. `text`: anything else. */
  readonly value: 'none' | 'path' | 'text' | readonly string[];
}

/** What may follow `culprit` on a command line. */
export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  /** Words that may follow the command, such as `list`. */
  readonly verbs: readonly string[];
  readonly flags: readonly FlagWords[];
}

/** The words of every command, from the table of commands. */
export async function wordsOf(commands: readonly Command[]): Promise<readonly CommandWords[]> {
  const words = await Promise.all(
    commands.map(async ({ name, summary, load }): Promise<CommandWords> => {
      const { usage } = await load();
      const flags = Object.entries(allFlags(usage)).map(([flag, { value, meaning }]) => ({
        name: flag,
        meaning,
        value: kindOf(value),
      }));
      return { name, summary, verbs: verbsOf(name, usage.forms), flags };
    }),
  );
  const verbs = commands.map(({ name }) => name);
  return [...words, { name: 'help', summary: 'print help', verbs, flags: [] }];
}

/** `runs list …`, `spool [list] …`, `completion bash|zsh|fish`. */
function verbsOf(name: string, forms: readonly string[]): readonly string[] {
  const found = forms.flatMap((form) => {
    const word = form.slice(name.length + 1).split(' ')[0] ?? '';
    return /^\[?[a-z][a-z|]*\]?$/.test(word) && word !== '[flags]'
      ? word.replace(/[[\]]/g, '').split('|')
      : [];
  });
  return [...new Set(found)];
}

function kindOf(value: string | undefined): FlagWords['value'] {
  if (value === undefined) return 'none';
  if (/FILE(?!:)|DIR|PATH(?!=)|director|path/.test(value)) return 'path';
  const choices = value.replace(/[<>]/g, '').split(/ · |\|/);
  return choices.length > 1 && choices.every((word) => /^[a-z][a-z_0-9-]*$/.test(word)) ? choices : 'text';
}
