import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { CulpritError } from '@culprit/core';
import type { Config } from './config.js';
import { DEFAULT_PROJECT } from './credentials.js';
import { type AllSources, isIn, jsonProblem, withEnvFile } from './env-file.js';
import { isReadable } from './network.js';
import {
  type Given,
  type ReadContext,
  refuse,
  type Setting,
  suggest,
  unknownKey,
  type ValuesOf,
} from './setting.js';
import { SETTINGS, type SettingKey } from './settings.js';
import { defaultDirectory, storageOf } from './storage-of.js';
import { withDefaultProject } from './structured.js';
import { unknownProjects } from './unknown-projects.js';

export interface ConfigSources extends ReadContext {
  /** By flag name without dashes. `config` names the file. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  /** Settings of a running host, below flags and environment; its file is read instead of this folder's. */
  readonly host?: HostSettings;
}

/** From where a host has its settings, for commands in other folders and environments. */
export interface HostSettings {
  /** Base of relative paths in `env`. */
  readonly cwd: string;
  /** Absolute path of its `culprit.json`; `null`: it has none. */
  readonly file: string | null;
  /** By variable: what its flags and its environment set, without secrets. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ReadConfig {
  readonly config: Config;
  /** Where each setting that is not a default was written: `EDGE_PORT`, `--edge-port`, `culprit.json: edgePort`. */
  readonly origins: ReadonlyMap<SettingKey, string>;
  /**
   * Written in a `culprit.json` that was found in the working directory, or in the `envFile` that it names. Their author may
   * be a stranger: the folder may be a cloned repository. Secrets of a file outside the folder are not among them: a stranger may
   * point at a file of this user.
   */
  readonly found: ReadonlySet<SettingKey>;
  /** The configured projects; `default` only if it is one of them, has settings, or is the only one. */
  readonly projects: readonly string[];
  /** For commands elsewhere. */
  readonly host: HostSettings;
}

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** Reads and checks all settings: flags over environment over file over defaults. Writes nothing. */
export function readConfig(sources: ConfigSources): ReadConfig {
  return configFrom(readFile(sources), sources);
}

/** The same with the contents of `culprit.json`, which may not be written yet. */
export function configFrom(file: ConfigFile, given: ConfigSources): ReadConfig {
  const sources = withEnvFile(given, file);
  const origins = new Map<SettingKey, string>();
  const found = new Set<SettingKey>();
  const context: ReadContext = {
    ...sources,
    written: (key) => find(key as SettingKey, SETTINGS[key as SettingKey], sources, file)?.text || null,
  };
  const read = SETTING_KEYS.map((key): [SettingKey, unknown] => {
    const row: Setting = SETTINGS[key];
    const written = find(key, row, sources, file);
    if (written !== null) origins.set(key, written.origin);
    if (written?.found === true) found.add(key);
    const given = written?.text ? written : defaultOf(key, row);
    const cwd = written?.cwd ?? sources.cwd;
    return [key, given === null ? null : row.type.read(given, { ...context, cwd })];
  });
  const values = Object.fromEntries(read) as ValuesOf<typeof SETTINGS>;
  const coreUrl = origins.get('coreUrl');
  if (coreUrl !== undefined && values.coreUrl !== null) {
    if (isReadable(values.coreUrl) && !values.allowPlaintext)
      refuse(
        { origin: coreUrl, key: 'coreUrl' },
        'must start with https:// because core is not on loopback; ALLOW_PLAINTEXT=1 overrides this',
      );
  }
  const projects = withDefaultProject(values.projects, values);
  const named = Object.keys(values.projects);
  const isDefault = named.length === 0 || Object.keys(projects[DEFAULT_PROJECT] ?? {}).length > 0;
  const configured = isDefault ? [...new Set([...named, DEFAULT_PROJECT])] : named;
  const baseOf = (key: SettingKey) => find(key, SETTINGS[key], sources, file)?.cwd ?? sources.cwd;
  const usual = defaultDirectory(sources.cwd, file);
  const storage = storageOf(values, origins.get('storageUrl') ?? '', {
    usual: usual.path,
    dataDirectory: baseOf('dataDirectory'),
    storageUrl: baseOf('storageUrl'),
  });
  const config: Config = {
    ...values,
    ...storage,
    projects,
    settingsFile: { path: file.path, isThere: file.isThere },
    warnings: [
      ...(usual.warning !== null && storage.dataDirectory === usual.path ? [usual.warning] : []),
      ...unknownProjects(values, configured, (key) => origins.get(key) ?? key),
      ...strayVariables(sources.env),
      ...sources.envWarnings,
      ...readablePrompts(
        values.ollamaModel === null ? null : values.ollamaHost,
        values.allowPlaintext,
        origins.get('ollamaHost') ?? 'OLLAMA_HOST',
      ),
      ...readablePrompts(
        values.openaiModel === null ? null : values.openaiBaseUrl,
        values.allowPlaintext,
        origins.get('openaiBaseUrl') ?? 'OPENAI_BASE_URL',
      ),
    ],
  };
  return { config, origins, found, projects: configured, host: hostSettings(config, origins, sources, file) };
}

/** What the flags and the environment set, and no secret: a storage only without a password. */
function hostSettings(
  { storagePassword }: Config,
  origins: ReadConfig['origins'],
  sources: AllSources,
  file: ConfigFile,
): HostSettings {
  const env = [...origins].flatMap(([key, origin]): [string, string][] => {
    const row: Setting = SETTINGS[key];
    if (row.env === null || (origin !== row.env && !origin.startsWith('--'))) return [];
    const isSecret = key === 'storageUrl' ? storagePassword !== null : row.secret === true;
    return isSecret ? [] : [[row.env, find(key, row, sources, file)?.text ?? '']];
  });
  return { cwd: sources.cwd, file: file.isThere ? file.path : null, env: Object.fromEntries(env) };
}

export interface ConfigFile {
  readonly name: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Absolute. */
  readonly path: string;
  readonly isThere: boolean;
  /** True: it lies in the working directory, or leads out of it, and no flag or variable names it. */
  readonly found?: boolean;
  /** True: no link leads out of the folder. */
  readonly isInside?: boolean;
}

interface Written extends Given {
  readonly found?: boolean;
  /** Base of its relative paths, if it is not the working directory: for what the file says, the file's folder. */
  readonly cwd?: string;
}

/** The setting as it was written, possibly as an empty text. */
function find(key: SettingKey, row: Setting, sources: AllSources, file: ConfigFile): Written | null {
  const { flags, env, envOrigins, isEnvInside, host } = sources;
  const fromFlag = row.flag === undefined ? undefined : flags[row.flag];
  if (fromFlag !== undefined) return { text: fromFlag.trim(), origin: `--${row.flag}`, key };
  const fromEnv = row.env === null ? undefined : env[row.env];
  const inFile = row.env === null ? undefined : envOrigins[row.env];
  if (row.env !== null && fromEnv !== undefined && inFile === undefined)
    return { text: fromEnv.trim(), origin: row.env, key };
  const ofHost = row.env === null ? undefined : host?.env[row.env];
  if (host !== undefined && ofHost !== undefined)
    return { text: ofHost, origin: `${row.env} of the running host`, key, found: true, cwd: host.cwd };
  // A stranger's folder may name any file, and a stranger's data directory any folder: addresses there are the stranger's, secrets
  // may be this user's.
  const found = (isInside: boolean) =>
    file.found === true && (row.secret !== true || (isInside && !isElsewhere(sources)));
  const beside = { cwd: dirname(file.path) };
  if (fromEnv !== undefined && inFile !== undefined)
    return { text: fromEnv.trim(), origin: inFile, key, found: found(isEnvInside), ...beside };
  const member = file.members[key];
  if (member === undefined) return null;
  const from = { origin: `${file.name}: ${key}`, key, found: found(file.isInside === true), ...beside };
  if (row.type.structured && typeof member === 'object') return { text: 'JSON', json: member, ...from };
  if (typeof member === 'string') return { text: member.trim(), ...from };
  if (typeof member === 'number' || typeof member === 'boolean') return { text: String(member), ...from };
  if (Array.isArray(member) && member.every((item) => typeof item === 'string'))
    return { text: member.join(','), ...from };
  return refuse(from, 'must be text, a number or a list of texts');
}

/** Whether the running host has its settings from another folder than this one. */
function isElsewhere({ host, cwd }: ConfigSources): boolean {
  if (host === undefined) return false;
  return host.cwd !== cwd || ![null, resolve(cwd, 'culprit.json')].includes(host.file);
}

function defaultOf(key: SettingKey, { default: text = null }: Setting): Given | null {
  return text === null ? null : { text, origin: key, key };
}

/** The file that a flag or the environment names; `undefined`: none is named. */
export function namedFile({ flags, env }: Pick<ConfigSources, 'flags' | 'env'>): string | undefined {
  return flags.config ?? (env.CULPRIT_CONFIG === '' ? undefined : env.CULPRIT_CONFIG);
}

function readFile(sources: ConfigSources): ConfigFile {
  const { flags, cwd, host } = sources;
  const named = namedFile(sources);
  const asked = named ?? host?.file ?? undefined;
  const path = resolve(host?.cwd ?? cwd, asked ?? 'culprit.json');
  if (asked === undefined && !existsSync(path))
    return { name: 'culprit.json', members: {}, path, isThere: false };
  const name = basename(path);
  // A relative name in the environment leads elsewhere in each folder.
  const found = flags.config === undefined && !isAbsolute(named ?? '');
  const members = parseFile(path, name);
  for (const key of Object.keys(members)) {
    if (!Object.hasOwn(SETTINGS, key))
      throw unknownKey(`${name}: ${key} is not a setting`, key, SETTING_KEYS);
  }
  return { name, members, found, isInside: isIn(dirname(path), path), path, isThere: true };
}

function parseFile(path: string, name: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const kind = code === 'ENOENT' ? 'not_found' : 'configuration';
    throw new CulpritError(kind, `Cannot read the configuration file ${path} (${code}).`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { line = 1, column = 1 } = jsonProblem(text) ?? {};
    throw new CulpritError(
      'configuration',
      `${name} is not valid JSON from line ${line}, column ${column} on. It must contain one JSON object.`,
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new CulpritError('configuration', `${name} must contain one JSON object.`);
}

/** The environment is shared with other programs, so a near miss there is a warning and not an error. */
function strayVariables(env: ConfigSources['env']): string[] {
  const known = SETTING_KEYS.flatMap((key) => SETTINGS[key].env ?? []);
  const long = known.filter((name) => name.length >= 10);
  return Object.keys(env).flatMap((name) => {
    if (name.length < 9 || known.includes(name)) return [];
    const near = suggest(name, long);
    if (near === null || env[near] !== undefined) return [];
    return [`Culprit does not use the environment variable ${name}. Did you mean ${near}?`];
  });
}

/** A warning and not an error, because Ollama itself does not support TLS. `server`: `null` if no model is used there. */
function readablePrompts(server: string | null, allowPlaintext: boolean, origin: string): string[] {
  if (server === null || allowPlaintext || !isReadable(server)) return [];
  return [
    `${origin} is http and not loopback: others on the network can read prompts, which contain source lines. Set ALLOW_PLAINTEXT=1 to accept this.`,
  ];
}
