import { code, page, table } from './markdown.mjs';

/** Every command with what its `--help` prints, and how commands end. */
export async function cliPage({ COMMANDS }, { EXIT, EXIT_MEANINGS }) {
  const list = table(
    ['Command', 'What it is for'],
    COMMANDS.map(({ name, summary }) => [code(`culprit ${name}`), summary]),
  );
  const exits = table(
    ['Exit code', 'Meaning'],
    Object.entries(EXIT).map(([name, number]) => [number, EXIT_MEANINGS[name]]),
  );
  const helps = [];
  for (const { name, help } of COMMANDS) {
    if (help) helps.push(`## culprit ${name}\n\n\`\`\`text\n${(await help()).trimEnd()}\n\`\`\`\n`);
  }
  return page(
    'Command line',
    `Words and numbers on standard output, everything else on standard error. Colours and bars only on a terminal, and not
under \`NO_COLOR\`. With \`--json\` a command prints one JSON document; an error is \`{"error", "exit_code"}\`.`,
    `${list}\n## Exit codes\n\nThey do not change their meaning.\n\n${exits}\n${helps.join('\n')}`,
  );
}
