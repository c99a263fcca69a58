import { print } from '../log/terminal.js';
import type { Command } from './commands.js';
import { bashScript } from './completion/bash.js';
import { fishScript } from './completion/fish.js';
import { wordsOf } from './completion/words.js';
import { zshScript } from './completion/zsh.js';
import { EXIT, unknownWord } from './exit-codes.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof SCRIPTS;
const SHELLS = Object.keys(SCRIPTS) as Shell[];

export const usage: CommandUsage = {
  forms: [`completion ${SHELLS.join('|')}`],
  flags: {},
  notes: [
    'bash, in ~/.bashrc: source <(culprit completion bash)',
    'zsh, in ~/.zshrc after compinit: source <(culprit completion zsh)',
    'fish: culprit completion fish > ~/.config/fish/completions/culprit.fish',
  ],
  json: false,
};

/** Prints a shell's completions of every command and flag. */
export async function run(flags: ReadFlags, commands: readonly Command[]): Promise<number> {
  const name = flags.only(`Name one shell: ${SHELLS.join(', ')}.`);
  const shell = SHELLS.find((known) => known === name);
  if (shell === undefined) throw unknownWord('shell', name, SHELLS);
  print(SCRIPTS[shell](await wordsOf(commands)));
  return EXIT.done;
}
