import type { CommandWords } from './words.js';

/** Words that are no command, flag or choice are completed as files (`-o default`). */
export function bashScript(commands: readonly CommandWords[]): string {
  const values = commands.flatMap(({ name, flags }) =>
    flags.flatMap(({ name: flag, value }) => {
      if (value === 'none') return [];
      const words = typeof value === 'string' ? '' : value.join(' ');
      return [`    '${name} --${flag}') known='${words}' ;;`];
    }),
  );
  const words = commands.map(
    ({ name, verbs, flags }) =>
      `    ${name}) verbs='${verbs.join(' ')}'; flags='${flags.map((flag) => `--${flag.name}`).join(' ')}' ;;`,
  );
  return `# Completions of culprit for bash. Load them with: source <(culprit completion bash)
_culprit() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} name=\${COMP_WORDS[1]}
  local known=- verbs= flags=
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$word"))
    return
  fi
  case "$name $before" in
${values.join('\n')}
  esac
  case "$name" in
${words.join('\n')}
  esac
  if [[ $known != - ]]; then COMPREPLY=($(compgen -W "$known" -- "$word"))
  elif [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif (( COMP_CWORD == 2 )); then COMPREPLY=($(compgen -W "$verbs" -- "$word"))
  fi
}
complete -o default -F _culprit culprit
`;
}
