import type { RevisionHints } from '@culprit/core';
import { parentsOf } from './objects.js';
import type { Opened } from './repository.js';
import { lookUp } from './resolve.js';
import { FULL_SHA, revisionCandidates } from './revision.js';

/** See `CodeHost.contains`. A shallow clone lacks the history that would tell. */
export async function containsCommit(
  { git, repository }: Opened,
  commit: string,
  hints: RevisionHints,
): Promise<boolean | null> {
  if (repository.shallow !== null || !FULL_SHA.test(commit)) return null;
  const found = await lookUp(
    git,
    revisionCandidates(hints).filter(({ how }) => how !== 'head'),
  );
  const revision = found.find((sha) => sha !== null) ?? null;
  if (revision === null || !(await parentsOf(git, [commit])).has(commit)) return null;
  const outcome = await git.run(['merge-base', '--is-ancestor', commit, revision]);
  if (outcome.kind !== 'exited' || outcome.code > 1) return null;
  return outcome.code === 0;
}
