import { batchesOf } from '@culprit/core/resilience';
import * as v from 'valibot';
import type { Cache } from '../shared/open-cache.js';
import { askGraphql, askInHalves, type RepositoryName } from './ask.js';
import { foldersQuery } from './queries.js';
import { treeObject } from './schema.js';

/** Names of the files and folders in one folder; both empty if there is no such folder. */
export interface Folder {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Folders that are read for one crash, besides the root. */
const MOST_FOLDERS = 120;
const FOLDERS_AT_ONCE = 40;

interface Reading {
  readonly kept: Cache<Folder>;
  readonly key: (folder: string) => string;
}

/**
 * The files in the folders that paths of a stack may mean, for a repository that GitHub does not list whole. A path can
 * start anywhere (`/srv/app/packages/cart.js`), so the folder of each of its ends counts that starts at the root.
 */
export async function filesInFolders(
  target: RepositoryName,
  sha: string,
  paths: readonly string[],
  reading: Reading,
): Promise<readonly string[]> {
  const root = await readFolders(target, sha, [''], reading);
  const top = new Set(root.get('')?.folders);
  const wanted = new Set(paths.flatMap(endsOf).filter((folder) => top.has(folder.split('/')[0] ?? '')));
  const read = await readFolders(target, sha, [...wanted].slice(0, MOST_FOLDERS), reading);
  return [...root, ...read].flatMap(([folder, { files }]) =>
    files.map((name) => (folder === '' ? name : `${folder}/${name}`)),
  );
}

/** `a/b` and `b` of `a/b/c.js`. */
function endsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(index).join('/'));
}

async function readFolders(
  target: RepositoryName,
  sha: string,
  folders: readonly string[],
  { kept, key }: Reading,
): Promise<ReadonlyMap<string, Folder>> {
  const found = new Map<string, Folder>();
  const unknown: string[] = [];
  for (const folder of folders) {
    const known = await kept.get(key(folder));
    if (known) found.set(folder, known);
    else unknown.push(folder);
  }
  for (const batch of batchesOf(unknown, FOLDERS_AT_ONCE)) {
    const answers = await askInHalves(batch, (some) => {
      const variables = Object.fromEntries(some.map((folder, index) => [`f${index}`, `${sha}:${folder}`]));
      return askGraphql(target, foldersQuery(some.length), variables);
    });
    for (const { items, answer } of answers) {
      const repository = (answer.data?.repository ?? {}) as Readonly<Record<string, unknown>>;
      for (const [index, folder] of items.entries()) {
        const entries = folderOf(repository[`f${index}`]);
        found.set(folder, entries);
        if (answer.errors.length === 0) await kept.set(key(folder), entries);
      }
    }
  }
  return found;
}

function folderOf(object: unknown): Folder {
  const parsed = v.safeParse(treeObject, object);
  const entries = parsed.success ? parsed.output.entries : [];
  const named = (kind: string) => entries.flatMap(({ name, type }) => (type === kind ? [name] : []));
  return { files: named('blob'), folders: named('tree') };
}
