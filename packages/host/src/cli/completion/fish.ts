import type { CommandWords, FlagWords } from './words.js';

export function fishScript(commands: readonly CommandWords[]): string {
  const names = commands.map(
    ({ name, summary }) => `complete -c culprit -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
  );
  const rest = commands.flatMap(({ name, verbs, flags }) => {
    const within = `complete -c culprit -n '__fish_seen_subcommand_from ${name}'`;
    const words = verbs.length === 0 ? [] : [`${within} -f -a '${verbs.join(' ')}'`];
    return [...words, ...flags.map((flag) => `${within} ${flagOf(flag)}`)];
  });
  return `# Completions of culprit for fish: culprit completion fish > ~/.config/fish/completions/culprit.fish
${[...names, ...rest].join('\n')}
`;
}

function flagOf({ name, meaning, value }: FlagWords): string {
  const kinds = { none: '', path: ' -r -F', text: ' -x' };
  const what = typeof value === 'string' ? kinds[value] : ` -x -a '${value.join(' ')}'`;
  return `-l ${name}${what} -d ${quoted(meaning)}`;
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
