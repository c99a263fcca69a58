import type { ReleaseWindow } from '../../domain/release.js';
import type { Suspect } from '../../domain/suspect.js';
import { reason } from './reason-wording.js';

/** A draft shows four reasons: the strongest three of the ranking, then this one. */
export const PLACE = 3;

/** Says which suspects came with the release that crashed first. Their order and probabilities stay. */
export function withReleases(
  suspects: readonly Suspect[],
  { releaseWindow }: { readonly releaseWindow?: ReleaseWindow | undefined },
): readonly Suspect[] {
  const { commits = null, version, more_commits } = releaseWindow ?? {};
  if (commits === null || version === undefined) return suspects;
  const brought = new Set(commits);
  const why = reason({
    code: 'in_release',
    release: version,
    commits: more_commits === true ? null : commits.length,
  });
  return suspects.map((suspect) =>
    brought.has(suspect.sha) ? { ...suspect, reasons: suspect.reasons.toSpliced(PLACE, 0, why) } : suspect,
  );
}
