import { type ConfigSources, SETTING_KEYS } from '../config/read-config.js';
import { defaultText, SETTINGS, type SettingKey } from '../config/settings.js';
import { usageError } from './exit-codes.js';
import { type CommandUsage, type Flags, readFlags } from './read-flags.js';

export const CONFIG_FLAG: Flags = {
  config: { value: 'FILE', meaning: 'Settings as JSON (CULPRIT_CONFIG; default culprit.json if it exists).' },
};

/** The flags of these settings, from the table of settings. */
export function settingFlags(keys: readonly SettingKey[]): Flags {
  const rows = keys.flatMap((key) => {
    const row = SETTINGS[key];
    const { env, flag, type, meaning } = row;
    if (flag === undefined) return [];
    return [
      [flag, { value: `<${type.format}>`, meaning: `${meaning} (${env}; default ${defaultText(row)})` }],
    ];
  });
  return Object.fromEntries(rows);
}

const FURTHER = SETTING_KEYS.filter((key) => SETTINGS[key].flag === undefined);

/** Usage of a command that has a flag for every setting that may have one. */
export function serverUsage(name: string, summary: string, json?: false): CommandUsage {
  const names = FURTHER.map((key) => SETTINGS[key].env ?? `${key} in the file`);
  return {
    name,
    summary,
    forms: [`${name} [flags]`],
    flags: { ...settingFlags(SETTING_KEYS), ...CONFIG_FLAG },
    notes: [`Only by environment or file: ${names.join(', ')}. See docs/reference/configuration.md.`],
    ...(json === undefined ? {} : { json }),
  };
}

/** The settings given as flags; `null` if `--help` was given and help was printed. */
export function readServerFlags(argv: readonly string[], usage: CommandUsage): ServerFlags | null {
  const flags = readFlags(argv, usage);
  if (flags === null) return null;
  if (flags.positionals.length > 0) throw usageError(`culprit ${usage.name} takes flags only.`);
  const given = Object.keys(usage.flags).map((name) => [name, flags.text(name) ?? undefined]);
  return { settings: Object.fromEntries(given), json: flags.has('json') };
}

export interface ServerFlags {
  readonly settings: ConfigSources['flags'];
  readonly json: boolean;
}
