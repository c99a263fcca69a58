import type { RunStory } from '@culprit/core';
import type { Run } from '@culprit/core/connector';
import { type Comeback, comebacksOf } from '@culprit/core/internal/domain/comeback';
import { storyText } from '@culprit/core/internal/domain/story';
import { clipped, linkTarget, outsideBlock, outsideSpan } from './text.js';

/** Characters of a reviewer's reason, as sent. */
const REASON_CHARS = 600;
const STORY_CHARS = 1_500;

/** Why the run is back, and what became of a published one, as texts of blocks. */
export function comebackTexts(run: Run, story: RunStory | undefined): readonly string[] {
  const later = laterText(run, story);
  return [...comebacksOf(run).map((one) => textOf(one, run, story)), ...(later === null ? [] : [later])];
}

function textOf(comeback: Comeback, { run_id }: Run, story: RunStory | undefined): string {
  switch (comeback.code) {
    case 'regression': {
      const past = story && storyText(named(story), run_id);
      const link = issueLink(story, comeback.run_id);
      return `:repeat: *Regression*${past ? `: ${clipped(past, STORY_CHARS)}` : ' of a published run'}${link}`;
    }
    case 'analysis_failed':
      return `:warning: *Analysis failed.* ${outsideSpan(comeback.error.detail, 300)}`;
    case 'returned':
      return `:leftwards_arrow_with_hook: *Returned by ${outsideSpan(comeback.by, 40)}.*\n${outsideBlock(comeback.reason, REASON_CHARS)}`;
  }
}

/** For the published run: that its crash came back. */
function laterText({ came_back_as }: Run, story: RunStory | undefined): string | null {
  if (came_back_as === undefined) return null;
  const later = story?.chapters.find(({ run_id }) => run_id === came_back_as);
  const release = later?.release ? ` in ${outsideSpan(later.release, 60)}` : '';
  return `:repeat: *Came back*${release} as ${outsideSpan(came_back_as, 64)}${issueLink(story, came_back_as)}`;
}

function issueLink(story: RunStory | undefined, runId: string): string {
  const issue = story?.chapters.find(({ run_id }) => run_id === runId)?.issue;
  const target = linkTarget(issue?.url ?? null);
  return issue && target !== null ? ` · <${target}|issue ${Math.trunc(issue.number)}>` : '';
}

/** Releases come from outside. */
function named(story: RunStory): RunStory {
  const chapters = story.chapters.map((one) => ({
    ...one,
    release: one.release && outsideSpan(one.release, 60),
    fixed_in: one.fixed_in && outsideSpan(one.fixed_in, 60),
  }));
  return { ...story, chapters };
}
