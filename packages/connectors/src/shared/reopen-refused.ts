import { CulpritError } from '@culprit/core';

/** The issue itself is why it cannot be reopened. `why` ends the sentence. */
export function reopenRefused(repository: string, number: number, why: string): CulpritError {
  const detail = `Issue ${Math.trunc(number)} of ${repository} cannot be reopened: ${why}. Return the run to Gate 1 and approve it again for a draft of a new issue.`;
  return new CulpritError('reopen_refused', detail);
}
