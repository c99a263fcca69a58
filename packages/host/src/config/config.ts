import type { Retention } from '@culprit/connectors/storage';
import type { CodeMapping, EnginePolicy, ProjectConfig } from '@culprit/core';
import type { EdgeLimits } from '../edge/limits.js';
import type { HookSecret, ReviewerToken, SdkKey, ServiceToken } from './formats.js';
import type { ExternalConnector } from './read-connectors.js';
import type { IngestConfig } from './read-ingest.js';
import type { NotifyWebhookSettings, SlackSettings } from './read-notifiers.js';
import type { Secret } from './secret.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Everything the host is told from outside, checked. Printing it shows no secret. */
export interface Config {
  readonly host: string;
  readonly edgePort: number;
  readonly corePort: number;
  /** `null`: core's own address, known once core listens. */
  readonly coreUrl: string | null;
  readonly publicUrl: string | null;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly allowPlaintext: boolean;
  /** Absolute. */
  readonly dataDirectory: string;
  /** Without its password; see `storageAddress`. */
  readonly storageUrl: string;
  readonly storagePassword: Secret | null;
  /** Seals the history of runs; `null`: it is not sealed. */
  readonly auditKey: Secret | null;
  /** How long and how many runs are kept, by state; `null`: all for good. */
  readonly retention: Retention | null;
  readonly internalSecrets: readonly Secret[];
  readonly hookSecrets: readonly HookSecret[];
  readonly serviceTokens: readonly ServiceToken[];
  readonly sdkKeys: readonly SdkKey[];
  readonly ingest: IngestConfig;
  readonly reviewers: readonly ReviewerToken[];
  /** Rules of the gates, for the engine's policy; what is absent has the engine's default. */
  readonly gates: Pick<EnginePolicy, 'requireSecondPerson' | 'requireBoundApproval'> &
    Partial<Pick<EnginePolicy, 'quietAfterRejectMs'>>;
  /** Connectors that are not ours, by package name or path. */
  readonly connectors: readonly ExternalConnector[];
  readonly repository: string | null;
  readonly codeMappings: readonly CodeMapping[];
  /** By name; `default` has `repository` and `codeMappings`. */
  readonly projects: Readonly<Record<string, ProjectConfig>>;
  readonly github: {
    readonly token: Secret | null;
    readonly publishToken: Secret | null;
    readonly apiUrl: string | null;
  };
  readonly ollama: { readonly host: string | null; readonly model: string | null };
  readonly slack: SlackSettings;
  readonly notifyWebhook: NotifyWebhookSettings;
  /** Guards of the edge that differ from their defaults; the file's `limits`. */
  readonly limits: Readonly<Partial<EdgeLimits>>;
  readonly logLevel: LogLevel;
  /** Things that are allowed and probably not meant, for the log. */
  readonly warnings: readonly string[];
}

/** Doors whose variable was given, if only as an empty text: an empty secret closes a door, it is not made up. */
export type SecretPart = 'internalSecrets' | 'hookSecrets' | 'serviceTokens' | 'sdkKeys' | 'reviewers';

export interface ReadConfig {
  readonly config: Config;
  readonly given: ReadonlySet<SecretPart>;
}

/** What the storage connector is given: for its eyes only. */
export function storageAddress({ storageUrl, storagePassword }: Config): string {
  if (storagePassword === null) return storageUrl;
  const url = new URL(storageUrl);
  url.password = encodeURIComponent(storagePassword.reveal());
  return url.href;
}

/** True where any number of processes may use the storage. */
export function isShared({ storageUrl }: Config): boolean {
  return /^rediss?:/.test(storageUrl);
}

/** True for names and addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare);
}

/** `http://…` of a listening address; wildcard addresses are reached through loopback. */
export function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
