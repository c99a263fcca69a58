import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, isAbsolute, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';
import { CulpritError } from '@culprit/core';
import type { Config } from './config.js';
import { DEFAULT_PROJECT } from './credentials.js';
import { jsonProblem } from './json-problem.js';
import { isReadable } from './network.js';
import { Secret } from './secret.js';
import { type Given, type ReadContext, refuse, type Setting, unknownKey, type ValuesOf } from './setting.js';
import { SETTINGS, type SettingKey } from './settings.js';
import { withDefaultProject } from './structured.js';
import { suggest } from './suggest.js';
import { unknownProjects } from './unknown-projects.js';

export interface ConfigSources extends ReadContext {
  /** By flag name without dashes. `config` names the file. */
  readonly flags: Readonly<Record<string, string | undefined>>;
}

export interface ReadConfig {
  readonly config: Config;
  /** Where each setting that is not a default was written: `EDGE_PORT`, `--edge-port`, `culprit.json: edgePort`. */
  readonly origins: ReadonlyMap<SettingKey, string>;
  /**
   * Written in a `culprit.json` that was found in the working directory, or in an `envFile` beside it. Whoever wrote them may be
   * a stranger: the folder may be a cloned repository.
   */
  readonly found: ReadonlySet<SettingKey>;
  /** The configured projects; `default` only if it is one of them, has settings, or is the only one. */
  readonly projects: readonly string[];
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
    return [key, given === null ? null : row.type.read(given, context)];
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
  const config: Config = {
    ...values,
    ...storageOf(values, origins.get('storageUrl') ?? '', sources.cwd),
    projects,
    warnings: [
      ...unknownProjects(values, Object.keys(projects), (key) => origins.get(key) ?? key),
      ...strayVariables(sources.env),
      ...readerWithoutModel(values, origins.get('suspectsReader') ?? 'SUSPECTS_READER'),
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
  const named = Object.keys(values.projects);
  const isDefault = named.length === 0 || Object.keys(projects[DEFAULT_PROJECT] ?? {}).length > 0;
  const configured = isDefault ? [...new Set([...named, DEFAULT_PROJECT])] : named;
  return { config, origins, found, projects: configured };
}

export interface ConfigFile {
  readonly name: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** True: it lies in the working directory, and no flag or variable names it. */
  readonly found?: boolean;
}

interface AllSources extends ConfigSources {
  /** Name of the file that a variable was read from; absent: the environment. */
  readonly envOrigins: Readonly<Record<string, string | undefined>>;
  /** True: that file belongs to the folder of a `culprit.json` that was found. */
  readonly envFound: boolean;
}

/** The environment, and below it the variables of `envFile`. */
function withEnvFile(sources: ConfigSources, { name, found, members: { envFile } }: ConfigFile): AllSources {
  if (typeof envFile !== 'string' || envFile.trim() === '')
    return { ...sources, envOrigins: {}, envFound: false };
  const path = resolve(sources.cwd, envFile.trim());
  const read = readVariables(path, `${name}: envFile`);
  const added = Object.entries(read).filter(([key]) => sources.env[key] === undefined);
  return {
    ...sources,
    env: { ...read, ...sources.env },
    envOrigins: Object.fromEntries(added.map(([key]) => [key, `${basename(path)}: ${key}`])),
    envFound: found === true && isIn(sources.cwd, path),
  };
}

/** Links count as where they lead: a stranger's link to a file of this user is no file of the stranger. */
function isIn(folder: string, path: string): boolean {
  return realpathSync(path).startsWith(`${realpathSync(folder).replace(/\/$/, '')}${sep}`);
}

function readVariables(path: string, origin: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return refuse({ origin, key: 'envFile' }, `names ${path}, which cannot be read (${code})`);
  }
}

interface Written extends Given {
  readonly found?: boolean;
}

/** The setting as it was written, possibly as an empty text. */
function find(
  key: SettingKey,
  row: Setting,
  { flags, env, envOrigins, envFound }: AllSources,
  file: ConfigFile,
): Written | null {
  const fromFlag = row.flag === undefined ? undefined : flags[row.flag];
  if (fromFlag !== undefined) return { text: fromFlag.trim(), origin: `--${row.flag}`, key };
  const fromEnv = row.env === null ? undefined : env[row.env];
  if (row.env !== null && fromEnv !== undefined) {
    const origin = envOrigins[row.env];
    return { text: fromEnv.trim(), origin: origin ?? row.env, key, found: envFound && origin !== undefined };
  }
  const member = file.members[key];
  if (member === undefined) return null;
  const from = { origin: `${file.name}: ${key}`, key, found: file.found === true };
  if (row.type.structured && typeof member === 'object') return { text: 'JSON', json: member, ...from };
  if (typeof member === 'string') return { text: member.trim(), ...from };
  if (typeof member === 'number' || typeof member === 'boolean') return { text: String(member), ...from };
  if (Array.isArray(member) && member.every((item) => typeof item === 'string'))
    return { text: member.join(','), ...from };
  return refuse(from, 'must be text, a number or a list of texts');
}

function defaultOf(key: SettingKey, { default: text = null }: Setting): Given | null {
  return text === null ? null : { text, origin: key, key };
}

function readFile({ flags, env, cwd }: ConfigSources): ConfigFile {
  const asked = flags.config ?? (env.CULPRIT_CONFIG === '' ? undefined : env.CULPRIT_CONFIG);
  const path = resolve(cwd, asked ?? 'culprit.json');
  if (asked === undefined && !existsSync(path)) return { name: 'culprit.json', members: {} };
  const name = basename(path);
  // A relative name in the environment leads elsewhere in each folder.
  const found = flags.config === undefined && !isAbsolute(asked ?? '');
  const members = parseFile(path, name);
  for (const key of Object.keys(members)) {
    if (!Object.hasOwn(SETTINGS, key))
      throw unknownKey(`${name}: ${key} is not a setting`, key, SETTING_KEYS);
  }
  return { name, members, found };
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

function readerWithoutModel(
  {
    suspectsReader,
    ollamaModel,
    openaiModel,
  }: Pick<Config, 'suspectsReader' | 'ollamaModel' | 'openaiModel'>,
  origin: string,
): string[] {
  if (!suspectsReader || ollamaModel !== null || openaiModel !== null) return [];
  return [`${origin} has no effect without a model. Set OLLAMA_MODEL or OPENAI_MODEL.`];
}

/** A warning and not an error, because Ollama itself does not support TLS. `server`: `null` if no model is used there. */
function readablePrompts(server: string | null, allowPlaintext: boolean, origin: string): string[] {
  if (server === null || allowPlaintext || !isReadable(server)) return [];
  return [
    `${origin} is http and not loopback: others on the network can read prompts, which contain source lines. Set ALLOW_PLAINTEXT=1 to accept this.`,
  ];
}

const NO_SENTINEL = ' of one primary; Redis Sentinel is not supported';

/** A storage in files is the default data directory, and the reverse. */
function storageOf(
  { storageUrl: text, dataDirectory }: Readonly<Record<'storageUrl' | 'dataDirectory', string | null>>,
  origin: string,
  cwd: string,
): Pick<Config, 'dataDirectory' | 'storageUrl' | 'storagePassword'> {
  const data = resolve(cwd, dataDirectory ?? '.culprit');
  const plain = { dataDirectory: data, storagePassword: null };
  if (text === null) return { ...plain, storageUrl: `file:${data}` };
  if (text === 'memory:') return { ...plain, storageUrl: text };
  const given = { origin, key: 'storageUrl' };
  if (/^rediss?:\/\//.test(text)) {
    if (!URL.canParse(text)) refuse(given, `must be redis://user:password@host:port/0${NO_SENTINEL}`);
    const url = new URL(text);
    const storagePassword = url.password === '' ? null : new Secret(decodeURIComponent(url.password));
    url.password = '';
    return { dataDirectory: data, storageUrl: url.href, storagePassword };
  }
  if (!/^file:./.test(text))
    refuse(given, `must be memory:, file:<dir> or redis://host:port/0${NO_SENTINEL}`);
  const directory = resolve(cwd, text.slice('file:'.length));
  return {
    ...plain,
    dataDirectory: dataDirectory === null ? directory : data,
    storageUrl: `file:${directory}`,
  };
}
