/** The names of the quick actions that a test may use; GitLab has about eighty. */
const NAMES =
  'close|reopen|assign|unassign|label|labels|confidential|due|milestone|lock|title|move|spend|cc|todo';

/** The alternatives of GitLab's own expression, in its order: blocks of code, inline code, HTML, quotes, and then commands. */
const COMMANDS = new RegExp(
  [
    '(?:^```.+?\\n```$)',
    '(?:^.*`\\n*.+?\\n*`$)',
    '(?:^<[^>]+?>\\n.+?\\n<\\/[^>]+?>$)',
    '(?:^>>>.+?\\n>>>$)',
    `(?:^\\/(?<cmd>${NAMES})(?: (?<arg>[^\\n]*))?(?:\\s*\\n|$))`,
  ].join('|'),
  'gims',
);

/** The text as GitLab stores it, without carriage returns, commands and space at its end, and the names of the commands. */
export function interpret(text: string): { readonly stored: string; readonly commands: readonly string[] } {
  const commands: string[] = [];
  const stored = text.replaceAll('\r', '').replace(COMMANDS, (...found) => {
    const { cmd } = found.at(-1) as { readonly cmd?: string };
    if (cmd === undefined) return String(found[0]);
    commands.push(cmd.toLowerCase());
    return '';
  });
  return { stored: stored.trimEnd(), commands };
}
