import { parseArgs } from 'node:util';
import { SETTINGS, type Setting } from '../config/settings.js';
import { unknownKey } from '../config/sources.js';
import { usageError } from './exit-codes.js';

const FLAGGED = (SETTINGS as readonly Setting[]).filter(({ flag }) => flag !== undefined);

/** The flags of `up`, `edge`, `core` and `doctor`; `null` if help was asked for and printed. */
export function readServerFlags(
  argv: readonly string[],
  command: { readonly name: string; readonly summary: string },
): Readonly<Record<string, string | undefined>> | null {
  const options: Record<string, { type: 'string' } | { type: 'boolean'; short: string }> = {
    config: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  };
  for (const { flag = '' } of FLAGGED) options[flag] = { type: 'string' };
  for (const argument of argv) {
    const name = /^--([^=]+)/.exec(argument)?.[1];
    if (name === undefined || options[name] !== undefined) continue;
    const known = Object.keys(options).map((flag) => `--${flag}`);
    throw usageError(
      unknownKey(`--${name} is not a flag of culprit ${command.name}`, `--${name}`, known).message,
    );
  }
  const { values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false });
  if (values.help === true) {
    process.stdout.write(serverHelp(command));
    return null;
  }
  return values as Record<string, string | undefined>;
}

export function serverHelp({ name, summary }: { readonly name: string; readonly summary: string }): string {
  const rows = FLAGGED.map(({ flag, env, format, fallback, meaning }) => {
    return `  --${flag} <${format}>\n      ${meaning} (${env}; default ${fallback})`;
  });
  const rest = SETTINGS.filter((setting: Setting) => setting.flag === undefined).map(({ env }) => env);
  return `culprit ${name}: ${summary}

${rows.join('\n')}
  --config <file>
      Settings as JSON (CULPRIT_CONFIG; default culprit.json where it exists)

By environment or file only: ${rest.join(', ')}
`;
}
