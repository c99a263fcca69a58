import { relative } from 'node:path';
import type { Logger } from '@culprit/core';
import type { Config } from '../config/config.js';
import type { WithSecrets } from '../config/generated-secrets.js';
import { loadConfig, type Role } from '../config/load-config.js';
import { urlOf } from '../config/network.js';
import { createOnlyPrivateFiles, makePrivate, sharedFiles } from '../config/private-files.js';
import { noteRunning, type ServerRole } from '../config/running.js';
import { createLogger } from '../log/create-logger.js';
import { showFreshSecrets } from './banner.js';
import type { ReadFlags } from './read-flags.js';
import { announceReady, isSupervised, type ReadyMessage } from './ready-message.js';
import { settingsOf } from './server-flags.js';

export interface StartedServer {
  readonly config: Config;
  /** Its secrets, too, and which ones were generated. */
  readonly loaded: WithSecrets;
  readonly logger: Logger;
  /**
   * What a server does once it listens: prints secrets that were generated just now, tells commands and the supervisor where
   * it listens. Returns a function that tells commands that it stops.
   */
  announce(message: Omit<ReadyMessage, 'type'>): () => void;
}

/** What a server's process does first: configuration and logger. */
export function startServer(flags: ReadFlags, role: Exclude<Role, 'up'>): StartedServer {
  createOnlyPrivateFiles();
  const loaded = loadConfig({ flags: settingsOf(flags), role });
  const { config } = loaded;
  const logger = createLogger({
    level: config.logLevel,
    name: role,
    pretty: process.stdout.isTTY === true,
  });
  if (!isSupervised()) for (const warning of config.warnings) logger.warn({}, warning);
  keepPrivate(config.dataDirectory, logger);
  return {
    config,
    loaded,
    logger,
    announce(message) {
      const forget = note(loaded, role, message.port, logger);
      showFreshSecrets(loaded);
      announceReady(message);
      return forget;
    },
  };
}

function note({ config, host }: WithSecrets, role: ServerRole, port: number, logger: Logger): () => void {
  try {
    return noteRunning(config.dataDirectory, role, urlOf(config.host, port), host);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    logger.warn(
      { reason },
      'commands cannot find this server by its data directory, which cannot be written',
    );
    return () => {};
  }
}

/** An older version, a restored backup or an umask may have left files that other users can read. */
function keepPrivate(directory: string, logger: Logger): void {
  const shared = sharedFiles(directory);
  if (shared.length === 0) return;
  const left = makePrivate(shared);
  const names = shared.map((path) => relative(directory, path)).slice(0, 20);
  logger.warn(
    { directory, names, count: shared.length },
    'other users could read or change these files; now only their owner can. Change your secrets if you do not trust them',
  );
  if (left.length > 0)
    logger.error({ paths: left }, `other users still can. Run as their owner: chmod -R go= ${directory}`);
}
