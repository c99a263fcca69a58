import { type ConfigSources, SETTING_KEYS } from '../config/read-config.js';
import { defaultText, SETTINGS, type SettingKey } from '../config/settings.js';
import { usageError } from './exit-codes.js';
import type { CommandUsage, Flags, ReadFlags } from './read-flags.js';

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
export function serverUsage(name: string): CommandUsage {
  const names = FURTHER.map((key) => SETTINGS[key].env ?? `${key} in the file`);
  return {
    forms: [`${name} [flags]`],
    flags: { ...settingFlags(SETTING_KEYS), ...CONFIG_FLAG },
    notes: [`Only by environment or file: ${names.join(', ')}. See docs/reference/configuration.md.`],
  };
}

/** The settings given as flags. */
export function settingsOf(flags: ReadFlags): ConfigSources['flags'] {
  if (flags.positionals.length > 0)
    throw usageError(`Unexpected argument ${JSON.stringify(flags.positionals[0])}.`);
  const names = SETTING_KEYS.flatMap((key) => SETTINGS[key].flag ?? []);
  return Object.fromEntries([...names, 'config'].map((name) => [name, flags.text(name) ?? undefined]));
}
