import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';
import type { ConfigFile, ConfigSources } from './read-config.js';
import { refuse } from './setting.js';

export interface AllSources extends ConfigSources {
  /** Lines of `envFile` that set nothing. */
  readonly envWarnings: readonly string[];
  /** Name of the file that a variable was read from; absent: the environment. */
  readonly envOrigins: Readonly<Record<string, string | undefined>>;
  /** True: that file lies in the folder. */
  readonly isEnvInside: boolean;
}

/** The environment, and below it the variables of `envFile`. */
export function withEnvFile(
  sources: ConfigSources,
  { name, path: configFile, members: { envFile } }: ConfigFile,
): AllSources {
  if (typeof envFile !== 'string' || envFile.trim() === '')
    return { ...sources, envOrigins: {}, isEnvInside: false, envWarnings: [] };
  const folder = dirname(configFile);
  const path = resolve(folder, envFile.trim());
  const text = readVariables(path, `${name}: envFile`);
  const read: Readonly<Record<string, string | undefined>> = parseEnv(text);
  const added = Object.entries(read).filter(([key]) => sources.env[key] === undefined);
  return {
    ...sources,
    env: { ...read, ...sources.env },
    envOrigins: Object.fromEntries(added.map(([key]) => [key, `${basename(path)}: ${key}`])),
    isEnvInside: isIn(folder, path),
    envWarnings: linesWithoutName(text).map(
      (line) => `${basename(path)}, line ${line}, has no "=" and sets nothing. Write NAME=value.`,
    ),
  };
}

/** Numbers of the lines that begin no variable and continue no quoted value. Their text is not shown, as it may be a secret. */
function linesWithoutName(text: string): readonly number[] {
  const quoted = /^([ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*)(["'`])[\s\S]*?\2/gm;
  const single = text.replaceAll(/\r\n?/g, '\n').replace(quoted, (all, name: string) => {
    return name + '\n'.repeat(all.split('\n').length - 1);
  });
  return single.split('\n').flatMap((line, at) => {
    const bare = line.trim();
    return bare === '' || bare.startsWith('#') || bare.includes('=') ? [] : at + 1;
  });
}

/** Links count as where they lead: a stranger's link to a file of this user is no file of the stranger. */
export function isIn(folder: string, path: string): boolean {
  return realpathSync(path).startsWith(`${realpathSync(folder).replace(/\/$/, '')}${sep}`);
}

function readVariables(path: string, origin: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return refuse({ origin, key: 'envFile' }, `names ${path}, which cannot be read (${code})`);
  }
}

/** Blank space, and every token of JSON, from where the last one ended. */
const TOKEN =
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])))/y;
const BLANK = /[ \t\r\n]*/y;

/**
 * Where a text stops being JSON, from 1 as editors count; `null` if it is JSON. The message of Node's parser differs between
 * versions, has no position for some texts, and quotes the text, which may contain secrets.
 */
export function jsonProblem(text: string): { readonly line: number; readonly column: number } | null {
  const end = endOfJson(text);
  if (end === null) return null;
  const before = text.slice(0, end).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

type Wanted = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end';

function endOfJson(text: string): number | null {
  const open: string[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  for (;;) {
    BLANK.lastIndex = at;
    BLANK.exec(text);
    const start = BLANK.lastIndex;
    if (wanted === ', or end' && open.length === 0) return start === text.length ? null : start;
    TOKEN.lastIndex = at;
    const [, mark, quoted, literal] = TOKEN.exec(text) ?? [];
    const next = step(open, wanted, mark ?? (quoted === undefined ? literal && 'literal' : 'text'));
    if (next === null) return start;
    wanted = next;
    at = TOKEN.lastIndex;
  }
}

/** What must follow the token; `null`: it may not stand here. `open`: the brackets that are open. */
function step(open: string[], wanted: Wanted, token: string | undefined): Wanted | null {
  const isValue = wanted === 'value' || wanted === 'value or ]';
  if (token === 'text' && wanted.startsWith('name')) return ':';
  if ((token === 'text' || token === 'literal') && isValue) return ', or end';
  if ((token === '{' || token === '[') && isValue) {
    open.push(token);
    return token === '{' ? 'name or }' : 'value or ]';
  }
  if (token === ':' && wanted === ':') return 'value';
  if (token === ',' && wanted === ', or end') return open.at(-1) === '{' ? 'name' : 'value';
  const opening = token === '}' ? '{' : token === ']' ? '[' : null;
  if (opening === null || open.at(-1) !== opening) return null;
  if (wanted !== ', or end' && wanted !== (opening === '{' ? 'name or }' : 'value or ]')) return null;
  open.pop();
  return ', or end';
}
