import type { CommandWords, FlagWords } from './words.js';

export function zshScript(commands: readonly CommandWords[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, verbs, flags }) => {
    const first = verbs.length === 0 ? "'*:file:_files'" : `'1:word:(${verbs.join(' ')})' '*:file:_files'`;
    return `    ${name}) _arguments ${[...flags.map(flagOf), first].join(' ')} ;;`;
  });
  return `#compdef culprit
# Completions of culprit for zsh. Load them with: source <(culprit completion zsh)
_culprit() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join('\n')}
  esac
}
compdef _culprit culprit
`;
}

function flagOf({ name, meaning, value }: FlagWords): string {
  const text = meaning.replace(/[[\]:\\]/g, ' ');
  const end = {
    none: '',
    path: ':path:_files',
    text: ':value: ',
  };
  return quoted(
    `--${name}[${text}]${typeof value === 'string' ? end[value] : `:value:(${value.join(' ')})`}`,
  );
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
