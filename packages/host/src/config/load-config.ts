import { CulpritError } from '@culprit/core';
import type { Config } from './config.js';
import { DOOR_SETTINGS } from './credentials.js';
import {
  fillSecrets,
  GENERATED_DOORS,
  type GeneratedKey,
  knownSecrets,
  missingSecrets,
  secretsPath,
  type WithSecrets,
} from './generated-secrets.js';
import { isLoopback } from './network.js';
import { type ConfigSources, namedFile, type ReadConfig, readConfig } from './read-config.js';
import { ADDRESS_NAMES, type Address, addressOf, runningIn, type ServerRole } from './running.js';
import { SETTINGS } from './settings.js';

/** What is started. */
export type Role = 'up' | 'edge' | 'core';

/** Sources that `loadConfig` reads: flags, environment and file. */
export interface LoadOptions extends Partial<ConfigSources> {
  readonly role?: Role;
  /** True: missing secrets stay missing, and nothing is written. */
  readonly readOnly?: boolean;
  /** True: with the settings of the host that runs in the data directory. */
  readonly ofHost?: boolean;
}

/**
 * The configuration from flags, environment, file and defaults, with secrets. On loopback missing secrets are generated
 * and stored; on any other address their absence is an error that names each.
 */
export function loadConfig(options: LoadOptions = {}): WithSecrets {
  const sources = {
    flags: options.flags ?? {},
    env: options.env ?? process.env,
    cwd: options.cwd ?? process.cwd(),
  };
  const read = options.ofHost === true ? readForHost(sources) : readConfig(sources);
  const { config, host } = read;
  // Reports a missing variable once, before any server starts.
  for (const { settings } of config.connectors) settings();
  const file = secretsPath(config);
  if (!isLoopback(config.host)) {
    refuseMissing(config, options.role ?? 'up');
    return { config, host, generated: [], fresh: [], file };
  }
  if (options.readOnly !== true) return fillSecrets(read);
  return { config: knownSecrets(read), host, generated: missingSecrets(read), fresh: [], file };
}

function refuseMissing(config: Config, role: Role): void {
  const missing: string[] = [];
  if (config.internalGatewaySecret.length === 0) missing.push(SETTINGS.internalGatewaySecret.env ?? '');
  const noDoor = role !== 'core' && !hasDoor(config);
  if (noDoor) missing.push(...GENERATED_DOORS.map((key) => SETTINGS[key].env ?? ''));
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
  const all = Object.values(DOOR_SETTINGS).map((key) => config[key]);
  return [...all, config.connectors].some((entries) => entries.length > 0);
}

/**
 * The settings of the host that runs in the data directory, below flags and environment of the command; without one, or with
 * a file that the command names, those of this folder.
 */
function readForHost(sources: ConfigSources): ReadConfig {
  const own = readConfig(sources);
  if (namedFile(sources) !== undefined) return own;
  const { dataDirectory } = own.config;
  const host = runningIn(dataDirectory)[0]?.settings;
  if (host === undefined) return own;
  return readConfig({ ...sources, flags: { ...sources.flags, data: dataDirectory }, host });
}

export interface CommandFlags {
  readonly data?: string | null;
  readonly config?: string | null;
  /** Overrides `STORAGE_URL`. */
  readonly storage?: string | null;
}

/** The configuration of this folder and environment, for commands that start no server. Writes nothing. */
export function currentConfig(flags: CommandFlags = {}): Config {
  return readForHost(commandSources(flags)).config;
}

function commandSources({ data, config, storage }: CommandFlags): ConfigSources {
  const { env } = process;
  return {
    flags: { data: data ?? undefined, config: config ?? undefined },
    env: storage == null ? env : { ...env, STORAGE_URL: storage },
    cwd: process.cwd(),
  };
}

/** Credentials of each door; `null`: none is known. */
export interface DoorSecrets {
  /** @throws `configuration` if it is not for the edge of the same {@link ClientConfig}. */
  readonly serviceToken: string | null;
  readonly hookSecret: string | null;
  readonly sdkKey: string | null;
}

/** What a command needs to reach running servers. */
export interface ClientConfig {
  readonly config: Config;
  /** The configured projects; see `ReadConfig`. */
  readonly projects: readonly string[];
  /** The settings whose values are generated. */
  readonly generated: readonly GeneratedKey[];
  /** Whether core or the edge runs in the data directory. */
  readonly running: boolean;
  readonly core: Address;
  readonly edge: Address;
  /** A reviewer's token; `null` if none is known. @throws `configuration` if it is not for {@link core}. */
  readonly token: string | null;
  /** Where the token was found, for errors. */
  readonly tokenOrigin: string;
  /** Those of the project; for `null` the first of all. */
  doorSecrets(project: string | null): DoorSecrets;
}

export interface ClientFlags extends CommandFlags {
  readonly url: string | null;
  readonly edgeUrl: string | null;
  readonly token: string | null;
}

/**
 * Flags over `CULPRIT_URL`, `CULPRIT_EDGE_URL`, `CULPRIT_TOKEN` over the servers of the data directory and its
 * configuration, generated secrets included. Writes nothing.
 *
 * A secret that the user has goes only to a machine that the user named: the working directory may be a stranger's.
 */
export function readClientConfig(flags: ClientFlags): ClientConfig {
  const read = readForHost(commandSources(flags));
  const config = knownSecrets(read);
  const core = addressOf('core', flags.url, read);
  const edge = addressOf('edge', flags.edgeUrl, read);
  const named = flags.token ?? (process.env.CULPRIT_TOKEN || null);
  const token = named ?? config.reviewerTokens[0]?.token.reveal() ?? null;
  const origin = tokenOrigin(flags, read);
  const doorSecrets = (project: string | null): DoorSecrets => {
    const isOf = (one: { readonly project: string }) => project === null || one.project === project;
    const token = config.serviceTokens.find(isOf)?.token.reveal() ?? null;
    return {
      get serviceToken() {
        const written = read.origins.get('serviceTokens') ?? secretsPath(config);
        if (token !== null && !read.found.has('serviceTokens')) checkNamed(edge, 'edge', written);
        return token;
      },
      hookSecret: config.trackerHookSecret.find(isOf)?.secret.reveal() ?? null,
      sdkKey: config.sdkKeys.find(isOf)?.key ?? null,
    };
  };
  return {
    config,
    projects: read.projects,
    generated: missingSecrets(read),
    running: runningIn(config.dataDirectory).length > 0,
    core,
    edge,
    get token() {
      const isFound = named === null && read.found.has('reviewerTokens');
      if (token !== null && !isFound) checkNamed(core, 'core', origin);
      return token;
    },
    tokenOrigin: origin,
    doorSecrets,
  };
}

function checkNamed({ url, foundIn }: Address, role: ServerRole, secretOrigin: string): void {
  if (foundIn === null) return;
  const { flag, env } = ADDRESS_NAMES[role];
  throw new CulpritError(
    'configuration',
    `The token from ${secretOrigin} was not sent to ${url}: that address comes only from ${foundIn}, a file in the working directory, or named there, that anybody may have written. If you trust it, name it with ${flag} or ${env}, or name the file with --config.`,
    { members: { origin: foundIn } },
  );
}

function tokenOrigin({ token }: ClientFlags, { config, origins }: ReadConfig): string {
  if (token !== null) return '--token';
  if (process.env.CULPRIT_TOKEN) return 'CULPRIT_TOKEN';
  const configured = config.reviewerTokens.length > 0 ? origins.get('reviewerTokens') : undefined;
  return configured ?? secretsPath(config);
}
