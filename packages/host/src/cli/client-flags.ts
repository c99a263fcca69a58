import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@culprit/client';
import { type ClientConfig, readClientConfig } from '../config/load-config.js';
import type { Address } from '../config/running.js';
import { suggest } from '../config/setting.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import type { Flags, ReadFlags } from './read-flags.js';
import { CONFIG_FLAG, settingFlags } from './server-flags.js';

/** Flags of every command that calls running servers. */
export const CLIENT_FLAGS: Flags = {
  url: {
    value: 'URL',
    meaning: 'core (CULPRIT_URL; default: the one that runs in the data directory, then the configuration)',
  },
  token: {
    value: 'TOKEN',
    meaning: 'a reviewer’s or API token. Prefer CULPRIT_TOKEN: process lists show flags.',
  },
  ...settingFlags(['dataDirectory']),
  ...CONFIG_FLAG,
};
export const EDGE_FLAGS: Flags = {
  'edge-url': {
    value: 'URL',
    meaning:
      'the edge (CULPRIT_EDGE_URL; default: the one that runs in the data directory, then the configuration)',
  },
};

export function clientConfig(flags: ReadFlags): ClientConfig {
  return readClientConfig({
    url: flags.text('url'),
    edgeUrl: flags.text('edge-url'),
    token: flags.text('token'),
    data: flags.text('data'),
    config: flags.text('config'),
  });
}

/** The error for a project that is none of the known ones. */
export function unknownProject(name: string, known: readonly string[]): CommandFailure {
  const near = suggest(name, known);
  const hint = near === null ? `Projects: ${known.join(', ') || 'none'}.` : `Did you mean ${near}?`;
  return new CommandFailure(`No project ${JSON.stringify(name)} is configured. ${hint}`, EXIT.notFound);
}

/** The edge's spool in the data directory. */
export function spoolDirectory(flags: ReadFlags): string {
  const directory = join(clientConfig(flags).config.dataDirectory, 'spool');
  if (existsSync(directory)) return directory;
  const text = `No spool in ${directory}. Pass the edge's data directory with --data.`;
  throw new CommandFailure(text, EXIT.notFound);
}

export function connect(flags: ReadFlags): Client {
  const { core, token } = withToken(flags);
  return createClient({ url: core.url, token });
}

/** @throws {CommandFailure} without a token. */
export function withToken(flags: ReadFlags): { readonly core: Address; readonly token: string } {
  const { core, token, tokenOrigin } = clientConfig(flags);
  if (token !== null) return { core, token };
  throw new CommandFailure(
    `No token found in ${tokenOrigin}. Set CULPRIT_TOKEN, or name the data directory of the running servers with --data (DATA_DIR).`,
    EXIT.refused,
  );
}
