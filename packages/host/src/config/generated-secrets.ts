import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import type { Config } from './config.js';
import { DEFAULT_PROJECT } from './credentials.js';
import { createDirectory, createFile } from './private-files.js';
import { type ReadConfig, SETTING_KEYS } from './read-config.js';
import { Secret } from './secret.js';
import { SETTINGS } from './settings.js';

const text = v.pipe(v.string(), v.minLength(16));
const fileSchema = v.object({
  internalGatewaySecret: text,
  trackerHookSecret: text,
  serviceToken: text,
  sdkKey: text,
  reviewerToken: text,
});
type SecretsFile = v.InferOutput<typeof fileSchema>;

/** The settings that `secrets.json` can fill. */
export type GeneratedKey =
  | 'internalGatewaySecret'
  | 'trackerHookSecret'
  | 'serviceTokens'
  | 'sdkKeys'
  | 'reviewerTokens';

/** The name of generated tokens. */
const LOCAL = 'local';

export interface WithSecrets {
  readonly config: Config;
  /** Settings whose values come from the file of generated secrets. */
  readonly generated: readonly GeneratedKey[];
  /** True: the file was created just now, so its values are shown once. */
  readonly fresh: boolean;
  readonly file: string;
}

export function secretsPath(config: Config): string {
  return join(config.dataDirectory, 'secrets.json');
}

/** Fills the secrets that are not set with random ones, stored in `secrets.json` with mode 0600. For loopback only. */
export function fillSecrets(read: ReadConfig): WithSecrets {
  const { config } = read;
  const generated = missingSecrets(read);
  const file = secretsPath(config);
  if (generated.length === 0) return { config, generated, fresh: false, file };
  const { secrets, fresh } = readOrCreate(config.dataDirectory, file);
  return { config: filled(config, secrets, generated), generated, fresh, file };
}

/** The same for a program that only talks to the servers: secrets that exist already. Writes nothing. */
export function knownSecrets(read: ReadConfig): Config {
  const secrets = readSecrets(secretsPath(read.config));
  return secrets === null ? read.config : filled(read.config, secrets, missingSecrets(read));
}

function missingSecrets({ config, origins }: ReadConfig): readonly GeneratedKey[] {
  const missing = SETTING_KEYS.filter((key) => {
    const { generated } = SETTINGS[key];
    if (generated === 'door') return !origins.has(key);
    return generated === 'server' && config[key as GeneratedKey].length === 0;
  });
  return missing as GeneratedKey[];
}

function filled(config: Config, secrets: SecretsFile, keys: readonly GeneratedKey[]): Config {
  const all: Pick<Config, GeneratedKey> = {
    internalGatewaySecret: [new Secret(secrets.internalGatewaySecret)],
    trackerHookSecret: [{ project: DEFAULT_PROJECT, secret: new Secret(secrets.trackerHookSecret) }],
    serviceTokens: [{ project: DEFAULT_PROJECT, name: LOCAL, token: new Secret(secrets.serviceToken) }],
    sdkKeys: [{ project: DEFAULT_PROJECT, key: secrets.sdkKey }],
    reviewerTokens: [{ name: LOCAL, token: new Secret(secrets.reviewerToken) }],
  };
  return { ...config, ...Object.fromEntries(keys.map((key) => [key, all[key]])) };
}

function readOrCreate(directory: string, file: string): { secrets: SecretsFile; fresh: boolean } {
  const existing = readSecrets(file);
  if (existing !== null) return { secrets: existing, fresh: false };
  const secrets: SecretsFile = {
    internalGatewaySecret: random(),
    trackerHookSecret: random(),
    serviceToken: random(),
    sdkKey: randomBytes(16).toString('hex'),
    reviewerToken: random(),
  };
  const isNew = !existsSync(directory);
  try {
    createDirectory(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const detail = `Cannot create ${directory} (${reason}). Give this user permission, or set DATA_DIR.`;
    throw new CulpritError('configuration', detail, { path: 'dataDirectory', cause });
  }
  // A new directory is often inside a repository; an existing one may be the repository itself.
  if (isNew) createFile(join(directory, '.gitignore'), '*\n');
  const fresh = createFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return { secrets: (fresh ? null : readSecrets(file)) ?? secrets, fresh };
}

function readSecrets(file: string): SecretsFile | null {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw invalidFile(file);
  }
  try {
    return v.parse(fileSchema, JSON.parse(content));
  } catch {
    throw invalidFile(file);
  }
}

function invalidFile(file: string): CulpritError {
  return new CulpritError(
    'configuration',
    `${file} does not contain the generated secrets. Restore it, or delete it to generate new ones.`,
  );
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
