import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import type { Config } from './config.js';
import { DEFAULT_PROJECT } from './credentials.js';
import { createDirectory, createFile } from './private-files.js';
import type { ReadConfig } from './read-config.js';
import { Secret } from './secret.js';
import { SETTINGS } from './settings.js';

/** In hexadecimal, because `--token` refuses a value that begins with `-`. */
const random = () => randomBytes(32).toString('hex');

/** Member of `secrets.json` for each setting that can be generated, and how its value is generated. */
const GENERATED = {
  internalGatewaySecret: { member: 'internalGatewaySecret', generate: random },
  trackerHookSecret: { member: 'trackerHookSecret', generate: random },
  serviceTokens: { member: 'serviceToken', generate: random },
  sdkKeys: { member: 'sdkKey', generate: () => randomBytes(16).toString('hex') },
  reviewerTokens: { member: 'reviewerToken', generate: random },
} as const;
export type GeneratedKey = keyof typeof GENERATED;

const secretText = v.optional(v.pipe(v.string(), v.minLength(16)));
const fileSchema = v.object({
  internalGatewaySecret: secretText,
  trackerHookSecret: secretText,
  serviceToken: secretText,
  sdkKey: secretText,
  reviewerToken: secretText,
});
type SecretsFile = v.InferOutput<typeof fileSchema>;

/** The name of generated tokens. */
const LOCAL = 'local';

/** A configuration with its generated secrets, and which ones were generated. */
export interface WithSecrets {
  readonly config: Config;
  /** Settings whose values come from the file of generated secrets, or will once a server has started. */
  readonly generated: readonly GeneratedKey[];
  /** Those of them that were generated just now, so their values are shown once. */
  readonly fresh: readonly GeneratedKey[];
  readonly file: string;
}

export function secretsPath(config: Config): string {
  return join(config.dataDirectory, 'secrets.json');
}

/**
 * Fills the secrets that are not set with random ones, stored in `secrets.json` with mode 0600. Secrets that are set are not
 * stored. For loopback only.
 */
export function fillSecrets(read: ReadConfig): WithSecrets {
  const { config } = read;
  const generated = missingSecrets(read);
  const file = secretsPath(config);
  const before = readSecrets(file);
  const fresh = generated.filter((key) => before?.[GENERATED[key].member] === undefined);
  if (fresh.length === 0) return { config: filled(config, before ?? {}, generated), generated, fresh, file };
  const added = Object.fromEntries(fresh.map((key) => [GENERATED[key].member, GENERATED[key].generate()]));
  const secrets = store(config.dataDirectory, file, { ...before, ...added }, before !== null);
  return { config: filled(config, secrets, generated), generated, fresh, file };
}

/** The same for a program that only talks to the servers: secrets that exist already. Writes nothing. */
export function knownSecrets(read: ReadConfig): Config {
  return filled(read.config, readSecrets(secretsPath(read.config)) ?? {}, missingSecrets(read));
}

/** The settings that are generated because they are not set. */
export function missingSecrets({ config, origins }: ReadConfig): readonly GeneratedKey[] {
  const keys = Object.keys(GENERATED) as GeneratedKey[];
  return keys.filter((key) =>
    SETTINGS[key].generated === 'door' ? !origins.has(key) : config[key].length === 0,
  );
}

function filled(config: Config, secrets: SecretsFile, keys: readonly GeneratedKey[]): Config {
  const project = DEFAULT_PROJECT;
  const wrap: { readonly [Key in GeneratedKey]: (value: string) => Config[Key] } = {
    internalGatewaySecret: (value) => [new Secret(value)],
    trackerHookSecret: (value) => [{ project, secret: new Secret(value) }],
    serviceTokens: (value) => [{ project, name: LOCAL, token: new Secret(value) }],
    sdkKeys: (value) => [{ project, key: value }],
    reviewerTokens: (value) => [{ name: LOCAL, token: new Secret(value) }],
  };
  const values = keys.flatMap((key) => {
    const value = secrets[GENERATED[key].member];
    return value === undefined ? [] : [[key, wrap[key](value)] as const];
  });
  return { ...config, ...Object.fromEntries(values) };
}

/** Of two processes that start at once, the first one's file counts. */
function store(directory: string, file: string, secrets: SecretsFile, replace: boolean): SecretsFile {
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
  const text = `${JSON.stringify(secrets, null, 2)}\n`;
  if (createFile(file, text, replace)) return secrets;
  return { ...secrets, ...readSecrets(file) };
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
