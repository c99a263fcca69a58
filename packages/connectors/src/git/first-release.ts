import { firstVersion } from '../shared/version-tags.js';
import type { Opened } from './repository.js';
import { FULL_SHA } from './revision.js';
import { decode } from './text.js';

/** Tags looked at: the earliest ones with the commit. */
const MOST_TAGS = 200;

/**
 * The earliest tag of a version that contains a commit. `null` if the history that would tell is missing, or if versions of
 * several packages contain it: then nobody knows which of them the crashed program belongs to.
 */
export async function firstRelease({ git, repository }: Opened, commit: string): Promise<string | null> {
  if (repository.shallow !== null || !FULL_SHA.test(commit)) return null;
  const outcome = await git.run(
    [
      'for-each-ref',
      `--contains=${commit}`,
      '--sort=version:refname',
      '--sort=creatordate',
      `--count=${MOST_TAGS}`,
      '--format=%(refname:strip=2)',
      'refs/tags',
    ],
    { refs: true },
  );
  if (outcome.kind !== 'exited' || outcome.code !== 0) return null;
  return firstVersion(decode(outcome.stdout).split('\n'));
}
