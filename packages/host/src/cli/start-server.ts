import type { Logger } from '@culprit/core';
import type { Config } from '../config/config.js';
import { loadConfig, type Role } from '../config/load-config.js';
import { createLogger } from '../log/create-logger.js';
import { showFreshSecrets } from './banner.js';
import type { ReadFlags } from './read-flags.js';
import { settingsOf } from './server-flags.js';

export interface StartedServer {
  readonly config: Config;
  readonly logger: Logger;
  /** Prints secrets that were generated just now, once; otherwise nothing. */
  showSecrets(): void;
}

/** What a server's process does first: configuration and logger. */
export function startServer(flags: ReadFlags, role: Exclude<Role, 'up'>): StartedServer {
  const loaded = loadConfig({ flags: settingsOf(flags), role });
  const { config } = loaded;
  const logger = createLogger({
    level: config.logLevel,
    name: role,
    pretty: process.stdout.isTTY === true,
  });
  for (const warning of config.warnings) logger.warn({}, warning);
  return { config, logger, showSecrets: () => showFreshSecrets(loaded) };
}
