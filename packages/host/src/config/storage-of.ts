import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from './config.js';
import type { ConfigFile } from './read-config.js';
import { Secret } from './secret.js';
import { refuse } from './setting.js';

const NO_SENTINEL = ' of one primary; Redis Sentinel is not supported';

/**
 * Beside the file that was read, so that it is the same from every folder; older versions had it in the working directory. Data beside a
 * `culprit.json` of the working directory are another installation's.
 */
export function defaultDirectory(
  cwd: string,
  { path: file, isThere, name }: ConfigFile,
): { path: string; warning: string | null } {
  const here = resolve(cwd, '.culprit');
  const beside = isThere ? join(dirname(file), '.culprit') : here;
  const own = existsSync(resolve(cwd, 'culprit.json'));
  if (beside === here || own || existsSync(beside) || !existsSync(here))
    return { path: beside, warning: null };
  const warning = `The data directory is ${here}, because ${beside} does not exist. If Culprit is started in another folder, it will not find this directory: stop it and move the directory there, or set dataDirectory in ${name}.`;
  return { path: here, warning };
}

/** The directory of a storage in files is the default data directory, and the reverse. `usual` is the default; `bases` of relative paths. */
export function storageOf(
  { storageUrl: text, dataDirectory }: Readonly<Record<'storageUrl' | 'dataDirectory', string | null>>,
  origin: string,
  { usual, ...bases }: Readonly<Record<'usual' | 'storageUrl' | 'dataDirectory', string>>,
): Pick<Config, 'dataDirectory' | 'storageUrl' | 'storagePassword'> {
  const data = dataDirectory === null ? usual : resolve(bases.dataDirectory, dataDirectory);
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
  const [, scheme, path = ''] = /^(file|sqlite):(.+)$/s.exec(text) ?? [];
  if (scheme === undefined)
    refuse(given, `must be memory:, file:<dir>, sqlite:<file> or redis://host:port/0${NO_SENTINEL}`);
  const place = resolve(bases.storageUrl, path);
  const directory = scheme === 'file' ? place : dirname(place);
  return {
    ...plain,
    dataDirectory: dataDirectory === null ? directory : data,
    storageUrl: `${scheme}:${place}`,
  };
}
