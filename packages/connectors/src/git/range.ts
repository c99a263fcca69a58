import type { CommitRange } from '@culprit/core';
import { parseRecent, RECENT_FORMAT } from './commits.js';
import { parentsOf } from './objects.js';
import type { Opened } from './repository.js';
import { FULL_SHA } from './revision.js';

/** See `Ancestry.range`. A shallow clone lacks the history that would tell. */
export async function commitRange(
  { git, repository }: Opened,
  from: string,
  to: string,
  most: number,
): Promise<CommitRange | null> {
  if (repository.shallow !== null || !FULL_SHA.test(from) || !FULL_SHA.test(to)) return null;
  const known = await parentsOf(git, [from, to]);
  if (!known.has(from) || !known.has(to)) return null;
  const options = ['-z', `--max-count=${most + 1}`, `--format=${RECENT_FORMAT}`];
  const found = parseRecent(await git.output(['log', ...options, `${from}..${to}`, '--']));
  return { commits: found.slice(0, most), more: found.length > most };
}
