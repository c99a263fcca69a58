import type { ListedRelease } from '@culprit/client';
import { percent, whole } from '../format.js';

interface Figure {
  readonly name: string;
  /** What the name means. */
  readonly title?: string;
  readonly of: (release: Pick<ListedRelease, 'release' | 'counts'>) => string;
}

/** What is counted of a release, and where it was deployed. */
export const FIGURES: readonly Figure[] = [
  {
    name: 'Deployed',
    of: ({ release }) =>
      [...new Set((release?.deploys ?? []).map(({ environment }) => environment))].join(', ') || '–',
  },
  { name: 'New runs', of: ({ counts }) => whole(counts?.new_runs ?? 0) },
  { name: 'Regressed', of: ({ counts }) => whole(counts?.regressed_runs ?? 0) },
  { name: 'Crashes', of: ({ counts }) => whole(counts?.crashes ?? 0) },
  {
    name: 'Adoption',
    title: 'Share of the project’s crashes of the last 24 hours that named this release',
    of: ({ counts }) => (counts === null || counts.day_share === null ? '–' : percent(counts.day_share)),
  },
  {
    name: 'Commits',
    of: ({ release }) =>
      release === null || release.commits === null
        ? '–'
        : `${whole(release.commits)}${release.more_commits ? '+' : ''}`,
  },
];
