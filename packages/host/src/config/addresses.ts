import { CulpritError } from '@culprit/core';
import { urlOf } from './network.js';
import type { ReadConfig } from './read-config.js';
import { readRunning, type ServerRole } from './running.js';

/** Where a command looks for a server, and why there. */
export interface Address {
  readonly url: string;
  /** One or two sentences for the error when nothing answers: who named the address, and what else to set. */
  readonly why: string;
}

const NAMES = {
  core: { flag: '--url', env: 'CULPRIT_URL', port: 'corePort' },
  edge: { flag: '--edge-url', env: 'CULPRIT_EDGE_URL', port: 'edgePort' },
} as const;

/**
 * The flag over the environment over the server that runs in the data directory over the configuration. A server that was
 * killed is still a better guess than the default: it is being restarted, or the error says what became of it.
 */
export function addressOf(role: ServerRole, given: string | null, read: ReadConfig): Address {
  const { flag, env } = NAMES[role];
  const named = given ?? (process.env[env] || null);
  if (named !== null) {
    const origin = given === null ? env : flag;
    return {
      url: httpUrl(named, origin),
      why: `This address comes from ${origin}. Check it, and that ${role} runs there.`,
    };
  }
  const { dataDirectory } = read.config;
  const fix = `Start it with \`culprit up\`, or name a running one: its data directory with --data (DATA_DIR), or its address with ${flag} (${env}).`;
  const note = readRunning(dataDirectory, role);
  const { url, origin } = configured(role, read);
  if (note === null || (!note.alive && origin !== null))
    return {
      url,
      why: `This address comes from ${origin ?? 'the defaults'}; no ${role} that this user or root started runs in ${dataDirectory}. ${fix}`,
    };
  const state = note.alive ? 'runs since' : 'was killed; it ran since';
  return {
    url: note.url,
    why: `This address comes from ${note.file}: process ${note.pid} ${state} ${note.started}. ${fix}`,
  };
}

/** `origin`: `null` for the default. */
function configured(
  role: ServerRole,
  { config, origins }: ReadConfig,
): { url: string; origin: string | null } {
  const { port } = NAMES[role];
  if (role === 'core' && config.coreUrl !== null)
    return { url: config.coreUrl.replace(/\/$/, ''), origin: origins.get('coreUrl') ?? null };
  const origin = origins.get(port) ?? origins.get('host') ?? null;
  return { url: urlOf(config.host, config[port]), origin };
}

function httpUrl(text: string, origin: string): string {
  if (/^https?:\/\/[^\s?#@]+$/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new CulpritError(
    'configuration',
    `${origin} must be http(s)://host[:port], with a path if Culprit is below one, and without a password, a query or a fragment.`,
    { members: { origin } },
  );
}
