import type { ListedRelease } from '@culprit/client';
import type { ComponentChildren } from 'preact';
import { percent, whole } from '../format.js';
import { visible } from '../parts/text.js';

const ADOPTION = 'Share of the project’s crashes of the last 24 hours that named this release';

/** What is counted of a release, and where it was deployed. */
export function Figures({ release, counts }: Pick<ListedRelease, 'release' | 'counts'>) {
  const environments = [...new Set((release?.deploys ?? []).map(({ environment }) => environment))];
  const { commits = null, more_commits = false } = release ?? {};
  return (
    <dl class="release-figures">
      <Figure name="Deployed">{environments.length === 0 ? '–' : visible(environments.join(', '))}</Figure>
      <Figure name="New runs">{whole(counts?.new_runs ?? 0)}</Figure>
      <Figure name="Regressed">{whole(counts?.regressed_runs ?? 0)}</Figure>
      <Figure name="Crashes">{whole(counts?.crashes ?? 0)}</Figure>
      <Figure name="Adoption" title={ADOPTION}>
        {counts === null || counts.day_share === null ? '–' : percent(counts.day_share)}
      </Figure>
      <Figure name="Commits">{commits === null ? '–' : `${whole(commits)}${more_commits ? '+' : ''}`}</Figure>
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

function Figure({ name, title, children }: FigureProps) {
  return (
    <div>
      <dt title={title}>{name}</dt>
      <dd class="num untrusted">{children}</dd>
    </div>
  );
}
