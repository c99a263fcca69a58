import type { Tree } from '@culprit/core';
import { read } from '../shared/read-answer.js';
import { askOrNull, nextPage, type Target } from './ask.js';
import type { GitlabAnswer, Parameters } from './client.js';
import { unreadable } from './errors.js';
import { tree as treeSchema } from './schema.js';

const PER_PAGE = 100;
/** 20,000 files and folders. Each page is a request that waits for the one before. */
const MOST_PAGES = 200;
/** Folders of the crash's paths that are listed if the tree is larger. */
const MOST_FOLDERS = 40;

type Listed = Pick<Tree, 'paths' | 'truncated' | 'submodules'>;

/** All files at a revision by keyset pages, or the first of them. */
export async function listFiles(target: Target, sha: string): Promise<Listed> {
  const paths: string[] = [];
  const submodules: string[] = [];
  let page: Parameters | null = {};
  for (let pages = 0; page !== null && pages < MOST_PAGES; pages++) {
    const answer = await treePage(target, { ref: sha, recursive: true, ...page });
    if (answer === null) return { paths: [], truncated: false };
    paths.push(...named(answer, 'blob'));
    submodules.push(...named(answer, 'commit'));
    page = nextPage(answer);
  }
  const known = submodules.length === 0 ? {} : { submodules };
  return { paths: paths.sort(), truncated: page !== null, ...known };
}

/** The files of the folders that contain the paths, and of the folders above them. */
export async function listFolders(
  target: Target,
  sha: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const folders = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1);
    for (let at = 0; at < parts.length; at++) folders.add(parts.slice(at).join('/'));
  }
  const files: string[] = [];
  for (const path of [...folders].slice(0, MOST_FOLDERS)) {
    const answer = await treePage(target, { ref: sha, path });
    if (answer !== null) files.push(...named(answer, 'blob'));
  }
  return files;
}

/** `null`: there is no such folder, or the repository is empty. */
function treePage(target: Target, of: Parameters): Promise<GitlabAnswer | null> {
  return askOrNull(target, 'GET /projects/{id}/repository/tree', {
    pagination: 'keyset',
    per_page: PER_PAGE,
    ...of,
  });
}

function named({ data }: GitlabAnswer, kind: 'blob' | 'commit'): readonly string[] {
  return read(treeSchema, data, unreadable).flatMap(({ path, type }) => (type === kind ? [path] : []));
}
