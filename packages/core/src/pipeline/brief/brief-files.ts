import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { Suspect } from '../../domain/suspect.js';

/** Suspects whose files are listed. */
export const BRIEF_SUSPECTS = 2;
const MAX_FILES = 10;

/** The files that a fix starts from: those in the stack trace, the crashed one first, then those that the first suspects changed there. */
export function briefFiles(
  located: readonly LocatedFrame[],
  suspects: readonly Suspect[],
): readonly string[] {
  const changed = suspects.slice(0, BRIEF_SUSPECTS).flatMap(({ hunk }) => (hunk === null ? [] : [hunk.path]));
  return [...new Set([...located.map(({ path }) => path), ...changed])].slice(0, MAX_FILES);
}
