import { CulpritError } from '@culprit/core';
import { type Config, isLoopback, type ReadConfig } from './config.js';
import { fillSecrets, keptSecrets, secretsPath, type WithSecrets } from './generated-secrets.js';
import { readConfig } from './read-config.js';
import type { ConfigSources } from './sources.js';

/** What is to be started. */
export type Role = 'up' | 'edge' | 'core';

export interface LoadOptions extends Partial<ConfigSources> {
  readonly role?: Role;
  /** For who only looks: missing secrets stay missing, and no file is made. */
  readonly onlyLook?: boolean;
}

/**
 * The configuration from flags, environment, file and defaults, complete with secrets: on loopback missing ones are
 * made and kept, on any other address their absence is an error that names each.
 */
export function loadConfig(options: LoadOptions = {}): WithSecrets {
  const read = readConfig({
    flags: options.flags ?? {},
    env: options.env ?? process.env,
    cwd: options.cwd ?? process.cwd(),
  });
  // Before anything starts: a missing variable is said once, and not by each server.
  for (const { settings } of read.config.connectors) settings();
  const file = secretsPath(read.config);
  if (isLoopback(read.config.host)) {
    if (options.onlyLook !== true) return fillSecrets(read);
    return { config: keptSecrets(read), generated: [], fresh: false, file };
  }
  refuseMissing(read, options.role ?? 'up');
  return { config: read.config, generated: [], fresh: false, file };
}

function refuseMissing({ config }: ReadConfig, role: Role): void {
  const missing: string[] = [];
  if (config.internalSecrets.length === 0) missing.push('INTERNAL_GATEWAY_SECRET');
  if (role !== 'core' && !hasDoor(config)) {
    missing.push('TRACKER_HOOK_SECRET', 'SERVICE_TOKENS', 'SDK_KEYS');
  }
  if (role !== 'edge' && config.reviewers.length === 0) missing.push('REVIEWER_TOKENS');
  if (missing.length === 0) return;
  const doors = missing.includes('SDK_KEYS') ? ' (of the three door secrets one is enough)' : '';
  throw new CulpritError(
    'configuration',
    `${config.host} is not loopback, so secrets are not made up. Set ${missing.join(', ')}${doors}, or listen on 127.0.0.1.`,
    { members: { missing } },
  );
}

function hasDoor({ hookSecrets, serviceTokens, sdkKeys, ingest, connectors }: Config): boolean {
  const hooks = ingest.sentryHook.secrets.length + ingest.standardWebhooks.secrets.length;
  return hookSecrets.length + serviceTokens.length + sdkKeys.length + hooks + connectors.length > 0;
}
