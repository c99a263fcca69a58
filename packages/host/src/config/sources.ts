import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { CulpritError } from '@culprit/core';
import type { Given } from './formats.js';
import { SETTINGS, type Setting, type SettingKey } from './settings.js';
import { suggest } from './suggest.js';

export interface ConfigSources {
  /** By flag name without dashes. `config` names the file. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where `culprit.json` is looked for and relative paths begin. */
  readonly cwd: string;
}

export interface Merged {
  readonly given: ReadonlyMap<SettingKey, Given>;
  /** The file's `projects`, not yet checked. */
  readonly projects: unknown;
  /** The file's `limits`, not yet checked. */
  readonly limits: unknown;
  /** The file's `scrub`, not yet checked. */
  readonly scrub: unknown;
  readonly warnings: readonly string[];
}

/** Flags over environment over file. An unknown key of the file is an error with a suggestion. */
export function mergeSources(sources: ConfigSources): Merged {
  const file = readFile(sources);
  const given = new Map<SettingKey, Given>();
  for (const setting of SETTINGS as readonly (Setting & { key: SettingKey })[]) {
    const found = find(setting, sources, file);
    if (found !== null) given.set(setting.key, found);
  }
  const { projects, limits, scrub } = file.members;
  return { given, projects, limits, scrub, warnings: strayVariables(sources.env) };
}

interface ConfigFile {
  readonly name: string;
  readonly members: Readonly<Record<string, unknown>>;
}

function find(
  setting: Setting & { key: SettingKey },
  sources: ConfigSources,
  file: ConfigFile,
): Given | null {
  const { key, env, flag } = setting;
  const fromFlag = flag === undefined ? undefined : sources.flags[flag];
  if (fromFlag !== undefined) return { text: fromFlag.trim(), origin: `--${flag}`, key };
  const fromEnv = sources.env[env];
  if (fromEnv !== undefined) return { text: fromEnv.trim(), origin: env, key };
  const fromFile = file.members[key];
  if (fromFile === undefined) return null;
  return { text: fileText(file.name, key, fromFile), origin: `${file.name}: ${key}`, key };
}

function fileText(name: string, key: string, value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (key === 'connectors' && Array.isArray(value)) return JSON.stringify(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',');
  throw new CulpritError('configuration', `${name}: ${key} must be a text, a number or a list of texts.`, {
    path: key,
  });
}

function readFile({ flags, env, cwd }: ConfigSources): ConfigFile {
  const asked = flags.config ?? (env.CULPRIT_CONFIG === '' ? undefined : env.CULPRIT_CONFIG);
  const path = resolve(cwd, asked ?? 'culprit.json');
  if (asked === undefined && !existsSync(path)) return { name: 'culprit.json', members: {} };
  const name = basename(path);
  const members = parseFile(path, name);
  const known = [...SETTINGS.map(({ key }) => key), 'projects', 'limits', 'scrub'];
  for (const key of Object.keys(members)) {
    if (!known.includes(key)) throw unknownKey(`${name}: ${key} is not a setting`, key, known);
  }
  return { name, members };
}

function parseFile(path: string, name: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new CulpritError('configuration', `The configuration file ${path} cannot be read (${code}).`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // The parser's message quotes the text, which may hold secrets.
  }
  throw new CulpritError('configuration', `${name} must hold one JSON object.`);
}

export function unknownKey(what: string, key: string, known: readonly string[]): CulpritError {
  const near = suggest(key, known);
  return new CulpritError('configuration', `${what}.${near === null ? '' : ` Did you mean ${near}?`}`, {
    path: key,
  });
}

/** The environment is shared with other programs, so a near miss there is a warning and not an error. */
function strayVariables(env: ConfigSources['env']): string[] {
  const known: readonly string[] = SETTINGS.map((setting) => setting.env);
  const long = known.filter((name) => name.length >= 10);
  return Object.keys(env).flatMap((name) => {
    if (name.length < 9 || known.includes(name)) return [];
    const near = suggest(name, long);
    if (near === null || env[near] !== undefined) return [];
    return [`The environment variable ${name} means nothing to Culprit. Did you mean ${near}?`];
  });
}
