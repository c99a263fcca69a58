import { resolve } from 'node:path';
import { DEFAULT_RETENTION, type Retention } from '@culprit/connectors/storage';
import type { Config, LogLevel, ReadConfig, SecretPart } from './config.js';
import { isLoopback, LOG_LEVELS } from './config.js';
import type { Given } from './formats.js';
import {
  parseBoolean,
  parseDuration,
  parseHookSecrets,
  parseList,
  parseMappings,
  parseModel,
  parseModelHost,
  parsePort,
  parseReviewerTokens,
  parseSdkKeys,
  parseSecrets,
  parseServiceTokens,
  parseUrl,
  refuse,
} from './formats.js';
import { readProjects } from './projects.js';
import { readConnectors } from './read-connectors.js';
import { readIngest } from './read-ingest.js';
import { parseAuditKey, parseRetention } from './read-keeping.js';
import { readLimits } from './read-limits.js';
import { readNotifyWebhook, readSlack } from './read-notifiers.js';
import { readRepository } from './read-repository.js';
import { Secret } from './secret.js';
import type { SettingKey } from './settings.js';
import { type ConfigSources, mergeSources } from './sources.js';

/** Where each generated secret belongs. */
const SECRET_PARTS: Readonly<Record<SecretPart, SettingKey>> = {
  internalSecrets: 'internalGatewaySecret',
  hookSecrets: 'trackerHookSecret',
  serviceTokens: 'serviceTokens',
  sdkKeys: 'sdkKeys',
  reviewers: 'reviewerTokens',
};
/** An empty text closes these doors; for the other secrets it is the same as none. */
const DOORS: readonly SecretPart[] = ['hookSecrets', 'serviceTokens', 'sdkKeys'];

/** Reads and checks all settings. Makes nothing and writes nothing. */
export function readConfig(sources: ConfigSources): ReadConfig {
  const merged = mergeSources(sources);
  const given = (key: SettingKey): Given | null => {
    const found = merged.given.get(key);
    return found === undefined || found.text === '' ? null : found;
  };
  const read = <T>(key: SettingKey, parse: (given: Given) => T, fallback: T): T => {
    const found = given(key);
    return found === null ? fallback : parse(found);
  };
  const text = (key: SettingKey): string | null => given(key)?.text ?? null;
  const secret = (key: SettingKey): Secret | null =>
    read<Secret | null>(key, ({ text }) => new Secret(text), null);

  const allowPlaintext = read('allowPlaintext', parseBoolean, false);
  const storage = readStorage(given('storageUrl'), text('dataDirectory'), sources.cwd);
  const { dataDirectory } = storage;
  const repository = readRepository(text('repository'), sources.cwd);
  const codeMappings = read('codeMappings', parseMappings, []);
  const config: Config = {
    host: read('host', parseHost, '127.0.0.1'),
    edgePort: read('edgePort', parsePort, 8001),
    corePort: read('corePort', parsePort, 8000),
    coreUrl: read<string | null>('coreUrl', (found) => parseCoreUrl(found, allowPlaintext), null),
    publicUrl: read<string | null>('publicUrl', parsePublicUrl, null),
    allowedHosts: read('allowedHosts', (found) => parseList(found.text.toLowerCase()), []),
    trustedProxies: read('trustedProxies', (found) => parseList(found.text), []),
    allowPlaintext,
    dataDirectory,
    storageUrl: storage.storageUrl,
    storagePassword: storage.storagePassword,
    auditKey: read<Secret | null>('auditKey', parseAuditKey, null),
    retention: read<Retention | null>('retention', parseRetention, DEFAULT_RETENTION),
    internalSecrets: read('internalGatewaySecret', parseSecrets, []),
    hookSecrets: read('trackerHookSecret', parseHookSecrets, []),
    serviceTokens: read('serviceTokens', parseServiceTokens, []),
    sdkKeys: read('sdkKeys', parseSdkKeys, []),
    ingest: readIngest(read, merged.scrub),
    reviewers: read('reviewerTokens', parseReviewerTokens, []),
    gates: {
      requireSecondPerson: read('requireSecondPerson', parseBoolean, false),
      requireBoundApproval: read('requireBoundApproval', parseBoolean, false),
      ...read<Pick<Config['gates'], 'quietAfterRejectMs'>>(
        'quietAfterReject',
        (found) => ({ quietAfterRejectMs: parseDuration(found) }),
        {},
      ),
    },
    connectors: read('connectors', (found) => readConnectors(found, sources), []),
    repository,
    codeMappings,
    projects: readProjects(merged.projects, { repository, codeMappings }, sources.cwd),
    github: {
      token: secret('githubToken'),
      publishToken: secret('githubPublishToken'),
      apiUrl: read<string | null>('githubApiUrl', parseUrl, null),
    },
    ollama: {
      host: read<string | null>('ollamaHost', parseModelHost, null),
      model: read<string | null>('ollamaModel', parseModel, null),
    },
    slack: readSlack(read),
    notifyWebhook: readNotifyWebhook(read),
    limits: readLimits(merged.limits),
    logLevel: read('logLevel', parseLogLevel, 'info'),
    warnings: [
      ...merged.warnings,
      ...plaintextModel(text('ollamaModel'), given('ollamaHost'), allowPlaintext),
    ],
  };
  const parts = Object.entries(SECRET_PARTS) as [SecretPart, SettingKey][];
  const named = parts.filter(([part, key]) =>
    DOORS.includes(part) ? merged.given.has(key) : config[part].length > 0,
  );
  return { config, given: new Set(named.map(([part]) => part)) };
}

function parseHost(given: Given): string {
  const host = given.text.replace(/^\[|\]$/g, '');
  if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(host))
    refuse(given, 'must be an address or a host name, without a port');
  return host;
}

function parsePublicUrl(given: Given): string {
  const url = parseUrl(given);
  if (new URL(url).pathname !== '/') refuse(given, 'must not carry a path: the board lives at the root');
  return url;
}

function parseCoreUrl(given: Given, allowPlaintext: boolean): string {
  const url = parseUrl(given);
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isLoopback(hostname) && !allowPlaintext) {
    refuse(
      given,
      'must begin with https:// because core is not on loopback; ALLOW_PLAINTEXT=1 overrides this',
    );
  }
  return url;
}

/** Prompts hold source lines. Ollama itself speaks no TLS, so this is no refusal. */
function plaintextModel(model: string | null, host: Given | null, allowPlaintext: boolean): string[] {
  if (model === null || host === null || allowPlaintext) return [];
  const { protocol, hostname } = new URL(parseModelHost(host));
  if (protocol === 'https:' || isLoopback(hostname)) return [];
  return [
    `${host.origin} is http and not loopback: prompts, which hold source lines, can be read on the way. ALLOW_PLAINTEXT=1 says that you know.`,
  ];
}

function parseLogLevel(given: Given): LogLevel {
  const level = LOG_LEVELS.find((known) => known === given.text);
  return level ?? refuse(given, `must be one of ${LOG_LEVELS.join(', ')}`);
}

function readStorage(
  storage: Given | null,
  dataDirectory: string | null,
  cwd: string,
): Pick<Config, 'dataDirectory' | 'storageUrl' | 'storagePassword'> {
  const storagePassword = null;
  if (storage === null) {
    const directory = resolve(cwd, dataDirectory ?? '.culprit');
    return { dataDirectory: directory, storageUrl: `file:${directory}`, storagePassword };
  }
  const { text } = storage;
  if (/^rediss?:\/\//.test(text)) {
    if (!URL.canParse(text)) refuse(storage, 'must be redis://user:password@host:port/0');
    const url = new URL(text);
    const password = url.password === '' ? null : new Secret(decodeURIComponent(url.password));
    url.password = '';
    return {
      dataDirectory: resolve(cwd, dataDirectory ?? '.culprit'),
      storageUrl: url.href,
      storagePassword: password,
    };
  }
  if (text.startsWith('file:') && text.length > 5) {
    const directory = resolve(cwd, text.slice('file:'.length));
    return {
      dataDirectory: dataDirectory === null ? directory : resolve(cwd, dataDirectory),
      storageUrl: `file:${directory}`,
      storagePassword,
    };
  }
  if (text !== 'memory:') refuse(storage, 'must be memory:, file:<dir> or redis://host:port/0');
  return { dataDirectory: resolve(cwd, dataDirectory ?? '.culprit'), storageUrl: text, storagePassword };
}
