import type { Logger } from '@culprit/core';
import type { Config } from '../config/config.js';
import { loadConfig, type Role } from '../config/load-config.js';
import { createLogger } from '../log/create-logger.js';
import { showFreshSecrets } from './banner.js';
import type { CommandUsage } from './read-flags.js';
import { readServerFlags } from './server-flags.js';

export interface StartedServer {
  readonly config: Config;
  readonly logger: Logger;
  /** Prints secrets that were generated just now, once; otherwise nothing. */
  showSecrets(): void;
}

/** What a server's process does first: flags, configuration, logger. `null` if help was printed. */
export function startServer(
  argv: readonly string[],
  role: Exclude<Role, 'up'>,
  usage: CommandUsage,
): StartedServer | null {
  const flags = readServerFlags(argv, usage);
  if (flags === null) return null;
  const loaded = loadConfig({ flags: flags.settings, role });
  const { config } = loaded;
  const logger = createLogger({
    level: config.logLevel,
    name: role,
    pretty: process.stdout.isTTY === true,
  });
  for (const warning of config.warnings) logger.warn({}, warning);
  return { config, logger, showSecrets: () => showFreshSecrets(loaded) };
}
