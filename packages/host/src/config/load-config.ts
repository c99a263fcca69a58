import { CulpritError } from '@culprit/core';
import { type Address, addressOf } from './addresses.js';
import type { Config } from './config.js';
import {
  fillSecrets,
  type GeneratedKey,
  knownSecrets,
  missingSecrets,
  secretsPath,
  type WithSecrets,
} from './generated-secrets.js';
import { isLoopback } from './network.js';
import { type ConfigSources, type ReadConfig, readConfig } from './read-config.js';
import { SETTINGS } from './settings.js';

/** What is started. */
export type Role = 'up' | 'edge' | 'core';

/** Sources that `loadConfig` reads: flags, environment and file. */
export interface LoadOptions extends Partial<ConfigSources> {
  readonly role?: Role;
  /** True: missing secrets stay missing, and nothing is written. */
  readonly readOnly?: boolean;
}

/**
 * The configuration from flags, environment, file and defaults, with secrets. On loopback missing secrets are generated
 * and stored; on any other address their absence is an error that names each.
 */
export function loadConfig(options: LoadOptions = {}): WithSecrets {
  const read = readConfig({
    flags: options.flags ?? {},
    env: options.env ?? process.env,
    cwd: options.cwd ?? process.cwd(),
  });
  const { config } = read;
  // Reports a missing variable once, before any server starts.
  for (const { settings } of config.connectors) settings();
  const file = secretsPath(config);
  if (!isLoopback(config.host)) {
    refuseMissing(config, options.role ?? 'up');
    return { config, generated: [], fresh: [], file };
  }
  if (options.readOnly !== true) return fillSecrets(read);
  return { config: knownSecrets(read), generated: missingSecrets(read), fresh: [], file };
}

function refuseMissing(config: Config, role: Role): void {
  const missing: string[] = [];
  if (config.internalGatewaySecret.length === 0) missing.push(SETTINGS.internalGatewaySecret.env ?? '');
  const noDoor = role !== 'core' && !hasDoor(config);
  if (noDoor)
    missing.push(
      ...[SETTINGS.trackerHookSecret, SETTINGS.serviceTokens, SETTINGS.sdkKeys].map(({ env }) => env ?? ''),
    );
  if (role !== 'edge' && config.reviewerTokens.length === 0) missing.push(SETTINGS.reviewerTokens.env ?? '');
  if (missing.length === 0) return;
  const doors = noDoor ? ' (one of the three door secrets is enough)' : '';
  throw new CulpritError(
    'configuration',
    `${config.host} is not loopback, so no secrets are generated. Set ${missing.join(', ')}${doors}, or listen on 127.0.0.1.`,
    { members: { missing } },
  );
}

function hasDoor(config: Config): boolean {
  const { trackerHookSecret, serviceTokens, sdkKeys, sentryHookSecrets, standardWebhookSecrets } = config;
  const all = [trackerHookSecret, serviceTokens, sdkKeys, sentryHookSecrets, standardWebhookSecrets];
  return [...all, config.connectors].some((entries) => entries.length > 0);
}

export interface CommandFlags {
  readonly data?: string | null;
  readonly config?: string | null;
  /** Overrides `STORAGE_URL`. */
  readonly storage?: string | null;
}

/** The configuration of this folder and environment, for commands that start no server. Writes nothing. */
export function currentConfig(flags: CommandFlags = {}): Config {
  return readConfig(commandSources(flags)).config;
}

function commandSources({ data, config, storage }: CommandFlags): ConfigSources {
  const { env } = process;
  return {
    flags: { data: data ?? undefined, config: config ?? undefined },
    env: storage == null ? env : { ...env, STORAGE_URL: storage },
    cwd: process.cwd(),
  };
}

/** What a command needs to reach running servers. */
export interface ClientConfig {
  readonly config: Config;
  /** The settings whose values are generated. */
  readonly generated: readonly GeneratedKey[];
  readonly core: Address;
  readonly edge: Address;
  /** A reviewer's token; `null` if none is known. */
  readonly token: string | null;
  /** Where the token was found, for errors. */
  readonly tokenOrigin: string;
  readonly serviceToken: string | null;
  readonly hookSecret: string | null;
  readonly sdkKey: string | null;
}

export interface ClientFlags extends CommandFlags {
  readonly url: string | null;
  readonly edgeUrl: string | null;
  readonly token: string | null;
}

/**
 * Flags over `CULPRIT_URL`, `CULPRIT_EDGE_URL`, `CULPRIT_TOKEN` over the servers of the data directory and its
 * configuration, generated secrets included. Writes nothing.
 */
export function readClientConfig(flags: ClientFlags): ClientConfig {
  const read = readConfig(commandSources(flags));
  const config = knownSecrets(read);
  return {
    config,
    generated: missingSecrets(read),
    core: addressOf('core', flags.url, read),
    edge: addressOf('edge', flags.edgeUrl, read),
    token:
      flags.token ?? (process.env.CULPRIT_TOKEN || null) ?? config.reviewerTokens[0]?.token.reveal() ?? null,
    tokenOrigin: tokenOrigin(flags, read),
    ...doorSecrets(config),
  };
}

/** Credentials of each door; those of the project, or without one the first. */
export function doorSecrets(
  { serviceTokens, trackerHookSecret, sdkKeys }: Config,
  project: string | null = null,
): Pick<ClientConfig, 'serviceToken' | 'hookSecret' | 'sdkKey'> {
  const isOf = (one: { readonly project: string }) => project === null || one.project === project;
  return {
    serviceToken: serviceTokens.find(isOf)?.token.reveal() ?? null,
    hookSecret: trackerHookSecret.find(isOf)?.secret.reveal() ?? null,
    sdkKey: sdkKeys.find(isOf)?.key ?? null,
  };
}

function tokenOrigin({ token }: ClientFlags, { config, origins }: ReadConfig): string {
  if (token !== null) return '--token';
  if (process.env.CULPRIT_TOKEN) return 'CULPRIT_TOKEN';
  const configured = config.reviewerTokens.length > 0 ? origins.get('reviewerTokens') : undefined;
  return configured ?? secretsPath(config);
}
