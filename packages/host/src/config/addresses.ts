import { CulpritError } from '@culprit/core';
import { urlOf } from './network.js';
import { commandName } from './own-name.js';
import type { ReadConfig } from './read-config.js';
import { isOnThisMachine, readRunning, type ServerRole } from './running.js';

/** Where a command looks for a server, and why there. */
export interface Address {
  readonly url: string;
  /** One or two sentences for the error when nothing answers: who named the address, and what else to set. */
  readonly why: string;
  /**
   * Which setting of a `culprit.json` that was only found in the working directory, or of its `envFile`, names another machine.
   * `null`: the address is this machine's, or the user named it.
   */
  readonly foundIn: string | null;
}

/** What names the address of each server. */
export const ADDRESS_NAMES = {
  core: { flag: '--url', env: 'CULPRIT_URL', port: 'corePort' },
  edge: { flag: '--edge-url', env: 'CULPRIT_EDGE_URL', port: 'edgePort' },
} as const;

/**
 * The flag over the environment over the server that runs in the data directory over the configuration. A server that was
 * killed is still a better guess than the default: it is being restarted, or the error says what became of it.
 */
export function addressOf(role: ServerRole, given: string | null, read: ReadConfig): Address {
  const { flag, env } = ADDRESS_NAMES[role];
  const named = given ?? (process.env[env] || null);
  if (named !== null) {
    const origin = given === null ? env : flag;
    return {
      url: httpUrl(named, origin),
      why: `This address comes from ${origin}. Check it, and that ${role} runs there.`,
      foundIn: null,
    };
  }
  const { dataDirectory } = read.config;
  const fix = `Start it with \`${commandName()} up\`, or name a running one: its data directory with --data (DATA_DIR), or its address with ${flag} (${env}).`;
  const note = readRunning(dataDirectory, role);
  const { url, origin, found } = configured(role, read);
  if (note === null || (!note.alive && origin !== null))
    return {
      url,
      why: `This address comes from ${origin ?? 'the defaults'}; no ${role} that this user or root started runs in ${dataDirectory}. ${fix}`,
      foundIn: found && !isOnThisMachine(new URL(url).hostname) ? origin : null,
    };
  const state = note.alive ? 'runs since' : 'was killed; it ran since';
  return {
    url: note.url,
    why: `This address comes from ${note.file}: process ${note.pid} ${state} ${note.started}. ${fix}`,
    foundIn: null,
  };
}

/** `origin`: `null` for the default. `found`: by a file that the user did not name. */
function configured(
  role: ServerRole,
  { config, origins, found }: ReadConfig,
): { url: string; origin: string | null; found: boolean } {
  const { port } = ADDRESS_NAMES[role];
  if (role === 'core' && config.coreUrl !== null)
    return {
      url: config.coreUrl.replace(/\/$/, ''),
      origin: origins.get('coreUrl') ?? null,
      found: found.has('coreUrl'),
    };
  const origin = (found.has('host') ? undefined : origins.get(port)) ?? origins.get('host') ?? null;
  return { url: urlOf(config.host, config[port]), origin, found: found.has('host') };
}

function httpUrl(text: string, origin: string): string {
  if (/^https?:\/\/[^\s?#@]+$/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new CulpritError(
    'configuration',
    `${origin} must be http(s)://host[:port], with a path if Culprit is below one, and without a password, a query or a fragment.`,
    { members: { origin } },
  );
}
