import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CulpritError } from '@culprit/core';
import type { ReadContext, SettingType } from '../../config/setting.js';
import { forgejo } from './forgejo.js';
import { github } from './github.js';
import { gitlab } from './gitlab.js';
import type { RepositoryHost } from './host.js';
import { local } from './local.js';

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
 * Addresses for cloning: https://HOST/PATH, ssh://git@HOST/PATH and git@HOST:PATH. A password may have an @ or / that should be
 * encoded; no part of it is taken for the host, which errors name.
 */
const CLONE = /^(?:(https?|ssh|git):\/\/(?:.*@)?([^@/]+)|[\w.-]+@([\w.-]+):(?!\/))(.+)$/i;

type AddressContext = Pick<ReadContext, 'cwd' | 'written'>;

/**
 * An address as runs store it: without its scheme, a local path absolute, of an address for cloning what its host names
 * it. `owner/name` is a path where such a folder exists.
 */
export function canonicalAddress(text: string, { cwd, written = () => null }: AddressContext): string {
  const [, protocol = 'ssh', server, remote, path = ''] = CLONE.exec(text) ?? [];
  const name = server ?? remote;
  if (name !== undefined) return onServer(protocol.toLowerCase(), name.toLowerCase(), path, written);
  for (const { scheme, aliases = [], canonical } of all) {
    const prefix = [scheme, ...aliases].find((one) => text.startsWith(one));
    if (prefix !== undefined) return canonical(text.slice(prefix.length), cwd);
  }
  if (/^[a-z][a-z0-9+-]*:/.test(text)) return text;
  const isName = all.some((host) => host.recognises(text, 'codeHost'));
  return isName && !existsSync(resolve(cwd, text)) ? text : local.canonical(text, cwd);
}

/** The address of a repository on one of the servers that settings name, or that all know. A user or password in it is dropped. */
function onServer(
  protocol: string,
  name: string,
  path: string,
  written: NonNullable<AddressContext['written']>,
): string {
  const nameIn = ({ host, hostname }: URL) => (protocol.startsWith('http') ? host : hostname);
  const asked = `${protocol.startsWith('http') ? protocol : 'https'}://${name}`;
  const wanted = URL.canParse(asked) ? nameIn(new URL(asked)) : name;
  for (const { serverOf, canonical } of all) {
    const server = serverOf?.(written) ?? '';
    if (!URL.canParse(server) || nameIn(new URL(server)) !== wanted) continue;
    const base = new URL(server).pathname.replace(/\/*$/, '/');
    const below = path.replace(/^\/*/, '/').replace(protocol.startsWith('http') ? base : '/', '');
    const rest = below.replace(/\/+$/, '').replace(/\.git$/, '');
    return canonical(rest, '');
  }
  throw new CulpritError(
    'configuration',
    `Which system runs on ${wanted} is not known. Write gitlab:group/project and set GITLAB_URL, or forgejo:owner/name and set FORGEJO_URL, or give the path of a clone.`,
    { path: 'repository' },
  );
}

export const address: SettingType<string> = {
  format: all.map(({ addresses }) => addresses).join(' or '),
  read: ({ text }, context) => canonicalAddress(text, context),
};
