import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SettingType } from '../../config/setting.js';
import { forgejo } from './forgejo/index.js';
import { github } from './github/index.js';
import { gitlab } from './gitlab/index.js';
import type { RepositoryHost } from './host.js';
import { local } from './local/index.js';

/** Every code host and publisher. To add one, add a folder and a row. */
export const HOSTS = { github, gitlab, forgejo, local };

type Merged<Union> = (Union extends unknown ? (part: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type HostSettings = Merged<(typeof HOSTS)[keyof typeof HOSTS]['settings']>;

/** The settings of all hosts, for the table of settings. */
export const HOST_SETTINGS = Object.assign(
  {},
  ...Object.values(HOSTS).map(({ settings }) => settings),
) as HostSettings;

const all: readonly RepositoryHost[] = Object.values(HOSTS);

/**
 * An address as runs store it: without its scheme, a local path absolute. `owner/name` is a path where such a folder
 * exists.
 */
export function canonicalAddress(text: string, cwd: string): string {
  for (const { scheme, aliases = [], canonical } of all) {
    const prefix = [scheme, ...aliases].find((one) => text.startsWith(one));
    if (prefix !== undefined) return canonical(text.slice(prefix.length), cwd);
  }
  if (/^[a-z][a-z0-9+-]*:/.test(text)) return text;
  const remote = all.some((host) => host.recognises(text, 'codeHost'));
  return remote && !existsSync(resolve(cwd, text)) ? text : local.canonical(text, cwd);
}

export const address: SettingType<string> = {
  format: all.map(({ addresses }) => addresses).join(' or '),
  read: ({ text }, { cwd }) => canonicalAddress(text, cwd),
};
