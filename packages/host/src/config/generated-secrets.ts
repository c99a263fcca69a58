import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import type { Config, ReadConfig, SecretPart } from './config.js';
import { DEFAULT_PROJECT } from './formats.js';
import { makeDirectory } from './make-directory.js';
import { makeFile } from './make-file.js';
import { Secret } from './secret.js';

const text = v.pipe(v.string(), v.minLength(16));
const fileSchema = v.object({
  internalGatewaySecret: text,
  trackerHookSecret: text,
  serviceToken: text,
  sdkKey: text,
  reviewerToken: text,
});
type SecretsFile = v.InferOutput<typeof fileSchema>;

/** Who generated tokens belong to. */
const LOCAL = 'local';

const SECRET_PARTS: readonly SecretPart[] = [
  'internalSecrets',
  'hookSecrets',
  'serviceTokens',
  'sdkKeys',
  'reviewers',
];

export interface WithSecrets {
  readonly config: Config;
  /** Parts that came from the file of generated secrets. */
  readonly generated: readonly SecretPart[];
  /** True: the file was made just now, so its values are to be shown once. */
  readonly fresh: boolean;
  readonly file: string;
}

export function secretsPath(config: Config): string {
  return join(config.dataDirectory, 'secrets.json');
}

/** Fills the secrets that were not given with random ones kept in `secrets.json`, mode 0600. For loopback only. */
export function fillSecrets({ config, given }: ReadConfig): WithSecrets {
  const generated = SECRET_PARTS.filter((part) => !given.has(part));
  const file = secretsPath(config);
  if (generated.length === 0) return { config, generated, fresh: false, file };
  const { secrets, fresh } = readOrMake(config.dataDirectory, file);
  return { config: filled(config, secrets, generated), generated, fresh, file };
}

/** The same for a program that only talks to the servers: what they made, if they made something. Makes nothing. */
export function keptSecrets({ config, given }: ReadConfig): Config {
  const kept = read(secretsPath(config));
  if (kept === null) return config;
  return filled(
    config,
    kept,
    SECRET_PARTS.filter((part) => !given.has(part)),
  );
}

function filled(config: Config, secrets: SecretsFile, parts: readonly SecretPart[]): Config {
  const made: Pick<Config, SecretPart> = {
    internalSecrets: [new Secret(secrets.internalGatewaySecret)],
    hookSecrets: [{ project: DEFAULT_PROJECT, secret: new Secret(secrets.trackerHookSecret) }],
    serviceTokens: [{ project: DEFAULT_PROJECT, name: LOCAL, token: new Secret(secrets.serviceToken) }],
    sdkKeys: [{ project: DEFAULT_PROJECT, key: secrets.sdkKey }],
    reviewers: [{ name: LOCAL, token: new Secret(secrets.reviewerToken) }],
  };
  return { ...config, ...Object.fromEntries(parts.map((part) => [part, made[part]])) };
}

function readOrMake(directory: string, file: string): { secrets: SecretsFile; fresh: boolean } {
  const kept = read(file);
  if (kept !== null) return { secrets: kept, fresh: false };
  const made: SecretsFile = {
    internalGatewaySecret: random(),
    trackerHookSecret: random(),
    serviceToken: random(),
    sdkKey: randomBytes(16).toString('hex'),
    reviewerToken: random(),
  };
  const isNew = !existsSync(directory);
  try {
    makeDirectory(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const detail = `${directory} cannot be made (${reason}). Give this user the right to, or set DATA_DIR.`;
    throw new CulpritError('configuration', detail, { path: 'dataDirectory', cause });
  }
  // Often the folder lies in a repository; nothing of it belongs there. An older folder may be the repository itself.
  if (isNew) makeFile(join(directory, '.gitignore'), '*\n');
  const fresh = makeFile(file, `${JSON.stringify(made, null, 2)}\n`);
  return { secrets: (fresh ? null : read(file)) ?? made, fresh };
}

function read(file: string): SecretsFile | null {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw unreadable(file);
  }
  try {
    return v.parse(fileSchema, JSON.parse(content));
  } catch {
    throw unreadable(file);
  }
}

function unreadable(file: string): CulpritError {
  return new CulpritError(
    'configuration',
    `${file} does not hold the generated secrets. Mend it, or delete it to have new ones made.`,
  );
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
