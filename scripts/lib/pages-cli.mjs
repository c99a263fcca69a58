import { code, page, table } from './markdown.mjs';

/** Every command with its `--help`, and the exit codes. */
export async function cliPage({ COMMANDS, commandHelp }, { EXIT, EXIT_MEANINGS }) {
  const list = table(
    ['Command', 'Purpose'],
    COMMANDS.map(({ name, summary }) => [code(`culprit ${name}`), summary]),
  );
  const exits = table(
    ['Exit code', 'Meaning'],
    Object.entries(EXIT).map(([name, number]) => [number, EXIT_MEANINGS[name]]),
  );
  const helps = [];
  for (const command of COMMANDS) {
    helps.push(
      `## culprit ${command.name}\n\n\`\`\`text\n${(await commandHelp(command)).trimEnd()}\n\`\`\`\n`,
    );
  }
  return page(
    'Command line',
    `Commands print results on standard output and everything else on standard error. Colours and progress bars appear only on a
terminal, and not with \`NO_COLOR\`. With \`--json\` a command prints one JSON document; an error is \`{"error", "exit_code"}\`.`,
    `${list}\n## Exit codes\n\nTheir meaning never changes.\n\n${exits}\n${helps.join('\n')}`,
  );
}
