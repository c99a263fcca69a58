import { isCulpritError } from '@culprit/core';

/** Asks about the revision that a crash names. `null`: it names none, or one that the repository does not have. */
export async function ofNamedRevision(
  revision: () => Promise<{ readonly sha: string; readonly how: string }>,
  ask: (sha: string) => Promise<boolean | null>,
): Promise<boolean | null> {
  try {
    const { sha, how } = await revision();
    return how === 'head' || how === 'date' ? null : await ask(sha);
  } catch (error) {
    if (isCulpritError(error, 'revision_foreign') || isCulpritError(error, 'revision_not_found')) return null;
    throw error;
  }
}
