import { OWNERS_BYTES, OWNERS_PLACES, type OwnersDialect, type OwnersFile } from '@culprit/core';
import type { GitReader } from './client.js';
import { parseObjects } from './objects.js';
import { decode, isBinary } from './text.js';

/** The header of `git cat-file --batch` before the file. */
const HEADER_BYTES = 200;

/**
 * The code owners file at a commit. A repository on disk does not say whose rules it follows: GitLab's if `origin` is on a
 * host whose name contains `gitlab`, or if the file is where only GitLab looks; else GitHub's.
 */
export async function readOwnersFile(
  git: GitReader,
  commit: string,
  origin: string,
): Promise<OwnersFile | null> {
  const read = (places: readonly string[], dialect: OwnersDialect) => firstOf(git, commit, places, dialect);
  if (isOnGitlab(origin)) return read(OWNERS_PLACES.gitlab, 'gitlab');
  const onlyGitlab = OWNERS_PLACES.gitlab.filter((place) => !OWNERS_PLACES.github.includes(place));
  return (await read(OWNERS_PLACES.github, 'github')) ?? read(onlyGitlab, 'gitlab');
}

function isOnGitlab(origin: string): boolean {
  const [, host = ''] = /^(?:[a-z+]+:\/\/)?(?:[^@/\s]*@)?([A-Za-z0-9.-]{1,253})[:/]/.exec(origin) ?? [];
  return /gitlab/i.test(host);
}

async function firstOf(
  git: GitReader,
  commit: string,
  places: readonly string[],
  dialect: OwnersDialect,
): Promise<OwnersFile | null> {
  for (const path of places) {
    const { stdout, cut } = await git.askPartly(
      'objects',
      [`${commit}:${path}`],
      OWNERS_BYTES + HEADER_BYTES,
    );
    const [file] = parseObjects(stdout, 1);
    if (file?.type !== 'blob') continue;
    const { content } = file;
    const isWhole = !cut && content.length < OWNERS_BYTES && !isBinary(content);
    return { path, dialect, text: isWhole ? decode(content) : null };
  }
  return null;
}
