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
