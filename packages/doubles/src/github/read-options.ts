import type { DoubleOptions, DoubleRepository, DoubleToken, Permissions } from './options.js';

export interface Arguments {
  readonly repo: readonly string[];
  readonly token: readonly string[];
  readonly persist?: string | undefined;
  readonly lag?: string | undefined;
  readonly port?: string | undefined;
  readonly scale?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'no-limits': boolean;
  readonly enterprise: boolean;
}

const RIGHTS: readonly string[] = ['metadata', 'contents', 'issues', 'pull_requests', 'deployments'];

/** Parses `--repo owner/name=/path` and `--token TOKEN=user:contents=read,issues=write`, each repeatable. */
export function readOptions(given: Arguments): DoubleOptions {
  const { persist, lag, port, scale, origin, enterprise } = given;
  return {
    repositories: Object.fromEntries(given.repo.map(repository)),
    tokens: Object.fromEntries(given.token.map(token)),
    ...(persist === undefined ? {} : { persistTo: persist }),
    ...(lag === undefined ? {} : { listingLagMs: whole('--lag', lag) }),
    ...(port === undefined ? {} : { port: whole('--port', port) }),
    ...(scale === undefined ? {} : { timeScale: whole('--scale', scale) }),
    ...(origin === undefined ? {} : { timeOrigin: whole('--origin', origin) }),
    ...(given['no-limits'] ? { limits: false as const } : {}),
    enterprise,
  };
}

function repository(text: string): [string, DoubleRepository] {
  const [, name, git] = /^([\w.-]+\/[\w.-]+)=(.+)$/.exec(text) ?? [];
  if (!name || !git) throw new Error('--repo must be owner/name=/path/of/git');
  return [name, { git }];
}

function token(text: string): [string, DoubleToken] {
  const [, key, user, rights] = /^([^=]+)=([\w-]+):(.*)$/.exec(text) ?? [];
  if (!key || !user) throw new Error('--token must be TOKEN=user:contents=read,issues=write');
  const pairs = (rights ?? '')
    .split(',')
    .filter((part) => part !== '')
    .map((part) => part.split('='));
  for (const [right = '', level = ''] of pairs) {
    if (!RIGHTS.includes(right) || !['read', 'write'].includes(level)) {
      throw new Error(`unknown permission ${right}=${level} in --token; valid names: ${RIGHTS.join(', ')}`);
    }
  }
  return [key, { user, permissions: Object.fromEntries(pairs) as Permissions }];
}

function whole(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${name} must be an integer`);
  return Number(text);
}
