import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CulpritError } from '@culprit/core/connector';
import type { GitReader } from './client.js';
import type { ObjectFormat } from './neutral.js';

export interface Repository {
  readonly gitDirectory: string;
  readonly objects: string;
  /** The file that lists commits whose parents were not fetched; `null` for a full clone. */
  readonly shallow: string | null;
  /** The file with grafts, which may not exist. */
  readonly grafts: string;
  /** It was cloned with a filter, so content may be missing. */
  readonly partial: boolean;
  readonly format: ObjectFormat;
  /** Names the objects and the state of a shallow clone: what is read under one key never changes. */
  readonly key: string;
}

/** A repository and what reads it for one request. */
export interface Opened {
  readonly repository: Repository;
  readonly git: GitReader;
}

/**
 * A local repository: bare, with a work tree, or a linked work tree. Parent folders are not searched, so a folder inside
 * another repository is not mistaken for it. `setting`: what an error calls the setting that names it.
 */
export async function openRepository(path: string, setting = 'REPOSITORY'): Promise<Repository> {
  if (path === '' || path.includes('\0')) throw notFound(path, setting);
  const top = resolve(path);
  for (const candidate of [await dotGit(top), top]) {
    const found = candidate === null ? null : await repositoryAt(candidate);
    if (found) return found;
  }
  throw notFound(top, setting);
}

/** True: the history before this commit was not fetched, so its changes are unknown. */
export async function isShallowAt({ shallow }: Repository, sha: string): Promise<boolean> {
  const text = shallow === null ? null : await readText(shallow);
  return text?.split('\n').includes(sha) ?? false;
}

/** A file of the repository as text; `null` if there is none. */
export function readCommon(path: string): Promise<string | null> {
  return readText(path);
}

async function repositoryAt(path: string): Promise<Repository | null> {
  if ((await readText(join(path, 'HEAD'))) === null) return null;
  const gitDirectory = await realpath(path);
  const common = resolve(gitDirectory, (await readText(join(gitDirectory, 'commondir')))?.trim() ?? '.');
  const objects = join(common, 'objects');
  if (!(await isDirectory(objects))) return null;
  const shallow = join(common, 'shallow');
  const boundary = await readText(shallow);
  const config = (await readText(join(common, 'config'))) ?? '';
  return {
    gitDirectory,
    objects,
    shallow: boundary === null ? null : shallow,
    grafts: join(common, 'info', 'grafts'),
    partial: /^\s*(?:promisor\s*=\s*true|partialclone\s*=)/im.test(config),
    key: boundary === null ? objects : `${objects} ${createHash('sha256').update(boundary).digest('hex')}`,
    format: /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? 'sha256' : 'sha1',
  };
}

async function dotGit(top: string): Promise<string | null> {
  const path = join(top, '.git');
  if (await isDirectory(path)) return path;
  const target = /^gitdir: (.+?)\r?\n?$/.exec((await readText(path)) ?? '')?.[1];
  return target === undefined ? null : resolve(top, target);
}

async function isDirectory(path: string): Promise<boolean> {
  return (await absentAsNull(stat(path), path))?.isDirectory() ?? false;
}

/** `null` if there is no regular file. */
async function readText(path: string): Promise<string | null> {
  const found = await absentAsNull(stat(path), path);
  if (!found?.isFile()) return null;
  return absentAsNull(readFile(path, 'utf8'), path);
}

async function absentAsNull<T>(answer: Promise<T>, path: string): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new CulpritError(
        'code_host_forbidden',
        `${path} is not readable. Give the user that runs Culprit read permission on the repository.`,
      );
    }
    throw new CulpritError('code_host_unavailable', `${path} could not be read (${code ?? 'unknown'}).`, {
      cause: error,
    });
  }
}

function notFound(path: string, setting: string): CulpritError {
  return new CulpritError(
    'repository_not_found',
    `There is no git repository at ${JSON.stringify(path)}. Set ${setting} to the top folder of a clone, or to a bare repository.`,
  );
}
