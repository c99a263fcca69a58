import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core';
import { AUDIT_KEY_CHARS } from '@culprit/core/internal/domain/history';
import * as v from 'valibot';
import { type Config, isInFiles } from './config.js';
import { DEFAULT_PROJECT } from './credentials.js';
import { createDirectory, createFile } from './private-files.js';
import type { HostSettings, ReadConfig } from './read-config.js';
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
const KEYS = Object.keys(GENERATED) as GeneratedKey[];

const isDoor = (key: GeneratedKey) => SETTINGS[key].generated === 'door';
/** The settings that open a door and can be generated. */
export const GENERATED_DOORS = KEYS.filter(isDoor);

const secretText = v.optional(v.pipe(v.string(), v.minLength(16)));
const doorEntries = { trackerHookSecret: secretText, serviceToken: secretText, sdkKey: secretText };
/** Keys of the project `default` have no member of their own for the project. */
const fileSchema = v.object({
  internalGatewaySecret: secretText,
  ...doorEntries,
  reviewerToken: secretText,
  projects: v.optional(v.record(v.string(), v.object(doorEntries))),
});
type SecretsFile = v.InferOutput<typeof fileSchema>;
type Members = { readonly [Member in (typeof GENERATED)[GeneratedKey]['member']]?: string | undefined };

/** The name of generated tokens. */
const LOCAL = 'local';

/** One generated value. `project` is `default` for those that belong to no project. */
interface GeneratedValue {
  readonly key: GeneratedKey;
  readonly project: string;
}

/** A configuration with its generated secrets, and which ones were generated. */
export interface WithSecrets {
  readonly config: Config;
  /** For commands elsewhere, once a server runs. */
  readonly host: HostSettings;
  /** Settings whose values come from the file of generated secrets, or will once a server has started. */
  readonly generated: readonly GeneratedKey[];
  /** The values that were generated just now, so they are shown once. */
  readonly fresh: readonly GeneratedValue[];
  readonly file: string;
}

export function secretsPath(config: Config): string {
  return join(config.dataDirectory, 'secrets.json');
}

/**
 * Fills the secrets that are not set with random ones, stored in `secrets.json` with mode 0600; those of doors for each
 * configured project. Secrets that are set are not stored. For loopback only.
 */
export function fillSecrets(read: ReadConfig): WithSecrets {
  const { config } = read;
  const generated = missingSecrets(read);
  const file = secretsPath(config);
  const before = readSecrets(file);
  const fresh = valuesOf(generated, read.projects).filter((one) => valueIn(before ?? {}, one) === undefined);
  const added = fresh.reduce(withValue, before ?? {});
  const secrets = fresh.length === 0 ? added : store(config.dataDirectory, file, added, before !== null);
  return { config: filled(read, secrets, generated), host: read.host, generated, fresh, file };
}

/** Every value of these settings: one for each project, if it is the key of a door. */
function valuesOf(keys: readonly GeneratedKey[], projects: readonly string[]): readonly GeneratedValue[] {
  return keys.flatMap((key) =>
    (isDoor(key) ? projects : [DEFAULT_PROJECT]).map((project) => ({ key, project })),
  );
}

function valueIn(secrets: SecretsFile, { key, project }: GeneratedValue): string | undefined {
  const members: Members | undefined = project === DEFAULT_PROJECT ? secrets : secrets.projects?.[project];
  return members?.[GENERATED[key].member];
}

/** The members that lead to a value in the file: `sdkKey`, or `projects`, `shop` and `sdkKey`. */
export function placeOf({ key, project }: GeneratedValue): readonly string[] {
  return [...(project === DEFAULT_PROJECT ? [] : ['projects', project]), GENERATED[key].member];
}

function withValue(secrets: SecretsFile, { key, project }: GeneratedValue): SecretsFile {
  const { member, generate } = GENERATED[key];
  if (project === DEFAULT_PROJECT) return { ...secrets, [member]: generate() };
  const own = { ...secrets.projects?.[project], [member]: generate() };
  return { ...secrets, projects: { ...secrets.projects, [project]: own } };
}

/** The same for a program that only talks to the servers: secrets that exist already. Writes nothing. */
export function knownSecrets(read: ReadConfig): Config {
  return filled(read, readSecrets(secretsPath(read.config)) ?? {}, missingSecrets(read));
}

/** The settings that are generated because they are not set. */
export function missingSecrets({ config, origins }: ReadConfig): readonly GeneratedKey[] {
  return KEYS.filter((key) => (isDoor(key) ? !origins.has(key) : config[key].length === 0));
}

/** Keys of `default` that an older version generated keep working, after those of the configured projects. */
function filled(
  { config, projects }: ReadConfig,
  secrets: SecretsFile,
  keys: readonly GeneratedKey[],
): Config {
  const older = projects.includes(DEFAULT_PROJECT)
    ? []
    : valuesOf(keys.filter(isDoor), [DEFAULT_PROJECT]).filter((one) => valueIn(secrets, one) !== undefined);
  const all = [...valuesOf(keys, projects), ...older];
  const wrap: {
    readonly [Key in GeneratedKey]: (value: string, project: string) => Config[Key][number];
  } = {
    internalGatewaySecret: (value) => new Secret(value),
    trackerHookSecret: (value, project) => ({ project, secret: new Secret(value) }),
    serviceTokens: (value, project) => ({ project, name: LOCAL, token: new Secret(value) }),
    sdkKeys: (value, project) => ({ project, key: value }),
    reviewerTokens: (value) => ({ name: LOCAL, token: new Secret(value) }),
  };
  const entries = keys.map((key) => {
    const own = all.filter((one) => one.key === key);
    const wrapped = own.flatMap((one) => {
      const value = valueIn(secrets, one);
      return value === undefined ? [] : [wrap[key](value, one.project)];
    });
    return [key, wrapped] as const;
  });
  const warnings = older.length === 0 ? [] : [olderKeys(config, projects, older)];
  for (const name of Object.keys(secrets.projects ?? {}))
    if (keys.some(isDoor) && !projects.includes(name)) warnings.push(unusedKeys(config, name));
  return { ...config, ...Object.fromEntries(entries), warnings: [...config.warnings, ...warnings] };
}

function olderKeys(config: Config, projects: readonly string[], older: readonly GeneratedValue[]): string {
  const members = older.map((one) => placeOf(one).join('.')).join(', ');
  return `${secretsPath(config)} has keys of the project "default", which is not configured, so crashes that come with them have no repository. Send with the keys of ${projects.join(', ')} (culprit dsn shows them), then remove ${members} from that file; or add "default" to projects in culprit.json.`;
}

/** Mostly a project that was renamed, or whose name has a typo now: SDKs do not say that their key is refused. */
function unusedKeys(config: Config, name: string): string {
  return `${secretsPath(config)} has keys of the project "${name}", which is not configured, so the edge refuses crashes that come with them. Add "${name}" to projects in culprit.json; or send with the keys of another project (culprit dsn shows them) and remove projects.${name} from that file.`;
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

/** Next to the storage, not in it: copying or editing the storage alone does not let anyone seal changes. */
export function auditKeyPath({ dataDirectory }: Config): string {
  return join(dataDirectory, 'audit.key');
}

/** The configured key, or the one that core generated here; `null` if there is none. */
export function knownAuditKey(config: Config): string | null {
  if (config.auditKey !== null) return config.auditKey.reveal();
  const path = auditKeyPath(config);
  const text = textOf(path);
  if (text === null || text.length >= AUDIT_KEY_CHARS) return text;
  throw new CulpritError('configuration', noKey(path));
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (/^ENO(?:ENT|TDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** What is wrong with the key file: it is gone, or another one is in its place. `null`: nothing. */
export function auditKeyProblem(config: Config): string | null {
  if (config.auditKey !== null || !isInFiles(config)) return null;
  const path = auditKeyPath(config);
  const last = textOf(traceOf(path));
  const key = textOf(path);
  if (key !== null && key.length < AUDIT_KEY_CHARS) return noKey(path);
  if (last === null || last === (key && traceOfKey(key))) return null;
  return `${path} ${key === null ? 'is gone' : 'is not the key'} with which histories were sealed here. Restore it from a backup. To seal with ${key === null ? 'a new key' : 'this key'} from now on, delete ${traceOf(path)}: "culprit audit verify" then fails for entries that were sealed before.`;
}

/**
 * The key; generates one for a storage in files that never had one. Cores that share a storage must be given the same key.
 * @throws `configuration` if the key is lost: sealed again, a changed history would look whole.
 */
export function auditKeyFor(config: Config): string | null {
  if (!isInFiles(config)) return config.auditKey?.reveal() ?? null;
  const problem = auditKeyProblem(config);
  if (problem !== null) throw new CulpritError('configuration', problem);
  const path = auditKeyPath(config);
  if (knownAuditKey(config) === null) {
    createDirectory(config.dataDirectory);
    createFile(path, `${randomBytes(32).toString('base64url')}\n`);
  }
  const key = knownAuditKey(config);
  if (config.auditKey === null && key !== null && !existsSync(traceOf(path)))
    createFile(traceOf(path), `${traceOfKey(key)}\n`);
  return key;
}

const noKey = (path: string) => `${path} does not contain an audit key. Restore it from a backup.`;

/** Beside the key: its hash, by which a lost key is noticed. */
const traceOf = (path: string) => `${path}.sha256`;
const traceOfKey = (key: string) => createHash('sha256').update(key).digest('hex');
