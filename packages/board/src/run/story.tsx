import type { Run } from '@culprit/core';
import { fixName } from '@culprit/core/internal/domain/fix';
import { type Chapter, ISSUE_END_WORDS } from '@culprit/core/internal/domain/story';
import { api } from '../api.js';
import { Part } from '../parts/part.js';
import { STATES } from '../parts/pill.js';
import { Out, Text } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';
import { When } from '../parts/when.js';

/** The runs of a crash that came back, oldest first, each with its issue, what fixed it, and a link. A run that cannot have come back has none. */
export function StorySection({ run }: { readonly run: Run }) {
  const { run_id, version, state, regression_of, members = [] } = run;
  const may = regression_of !== null || state === 'published' || state === 'merged' || members.length > 0;
  const { found: read } = useResource(
    async () => ({ run_id, story: may ? await api.getStory({ run_id }) : null }),
    `${run_id} ${version}`,
  );
  const found = read?.run_id === run_id ? read.story : null;
  if (found === null || found.chapters.length < 2) return null;
  // Two runs of a crash that was never published are a merge, and no story.
  if (found.chapters.every(({ issue }) => issue === null)) return null;
  return (
    <Part id="story" title="Story" note="of this crash" class="story">
      <ol>
        {found.chapters.map((chapter, index) => (
          <li key={chapter.run_id} aria-current={chapter.run_id === run_id ? 'true' : undefined}>
            <When iso={chapter.first_seen} class="soft" />
            <p>
              <Start chapter={chapter} before={found.chapters[index - 1]} />
              <IssueOf chapter={chapter} />
            </p>
            {chapter.run_id === run_id ? (
              <span class="soft">this run</span>
            ) : (
              <a href={`#${chapter.run_id}`}>{STATES[chapter.state].words}</a>
            )}
          </li>
        ))}
      </ol>
      {!found.whole && <p class="soft">Further runs of this crash are no longer stored.</p>}
    </Part>
  );
}

interface ChapterProps {
  readonly chapter: Chapter;
}

/** `Back in 2.4.1`; the run that others were merged into is no return. */
function Start({ chapter, before }: ChapterProps & { readonly before: Chapter | undefined }) {
  const words = before === undefined ? 'First seen' : before.merged_into === null ? 'Back' : 'Merged';
  if (words === 'Merged') return <b>Merged into this one</b>;
  return (
    <>
      <b>{words}</b>
      {chapter.release !== null && (
        <>
          {' '}
          in <Text as="code" of={chapter.release} />
        </>
      )}
    </>
  );
}

function IssueOf({ chapter }: ChapterProps) {
  const { issue, closed, fix, fixed_in } = chapter;
  if (issue === null) return null;
  const number = `#${Math.trunc(issue.number)}`;
  return (
    <>
      , {issue.reopened ? 'reopened' : 'published as'} <Out to={issue.url}>{number}</Out>
      {fix !== null && (
        <>
          , fixed by{' '}
          <Out to={fix.pull_request?.url ?? null}>
            <span title={fix.commit}>{fixName(fix)}</span>
          </Out>
        </>
      )}
      {fixed_in !== null && (
        <>
          {' '}
          in <Text as="code" of={fixed_in} />
        </>
      )}
      {fix === null && closed !== null && `, ${ISSUE_END_WORDS[closed.as]}`}
      {closed !== null && (
        <span class="soft">
          {' · '}
          <When iso={closed.at} />
        </span>
      )}
    </>
  );
}
