import type { Run, RunStory, RunSummary } from '@culprit/core';
import { COMEBACK_WORDS, type Comeback, comebacksOf } from '@culprit/core/internal/domain/comeback';
import { chapterText, storyText } from '@culprit/core/internal/domain/story';
import { print, styleFor } from '../log/terminal.js';
import { clipped, tableText } from './print.js';

type Line = readonly [name: string, text: string];

/** Why the run is back, and what became of it. Without a story, a regression names only the earlier run. */
export function comebackLines(run: Run, story: RunStory | null): readonly Line[] {
  const back = comebacksOf(run).map((one): Line => ['back', clipped(textOf(one, run, story), 300)]);
  const at = story?.chapters.findIndex(({ run_id }) => run_id === run.run_id) ?? -1;
  const next = run.merged_into ? undefined : story?.chapters[at + 1];
  if (next === undefined) return back;
  const release = next.release === null ? '' : `in ${next.release} `;
  const issue = next.issue === null ? '' : `, ${chapterText(next)}`;
  return [...back, ['came back', clipped(`${release}as ${next.run_id}${issue}`, 300)]];
}

/** `regression, returned`, for a list. */
export function comebackCodes(run: RunSummary): string {
  return comebacksOf(run)
    .map(({ code }) => (code === 'returned' ? code : COMEBACK_WORDS[code]))
    .join(', ');
}

function textOf(comeback: Comeback, { run_id }: Run, story: RunStory | null): string {
  const words = COMEBACK_WORDS[comeback.code];
  switch (comeback.code) {
    case 'regression':
      return `${words}: ${(story && storyText(story, run_id)) ?? `of ${comeback.run_id}`}`;
    case 'analysis_failed':
      return `${words}: ${comeback.error.detail}`;
    case 'returned':
      return `${words}: ${comeback.by}, “${comeback.reason}”`;
  }
}

/** One line for each run of the story, oldest first. */
export function printStory({ chapters, whole }: RunStory, runId: string): void {
  const style = styleFor(process.stdout);
  const rows = chapters.map((chapter) => [
    chapter.run_id === runId ? '*' : ' ',
    chapter.run_id,
    chapter.state,
    chapter.first_seen.slice(0, 16).replace('T', ' '),
    clipped(chapter.release ?? '', 30),
    clipped(chapterText(chapter) ?? (chapter.merged_into ? `merged into ${chapter.merged_into}` : ''), 120),
    chapter.issue?.url ?? '',
  ]);
  const head = [' ', 'RUN', 'STATE', 'FIRST SEEN (UTC)', 'RELEASE', 'WHAT HAPPENED', 'ISSUE'];
  print(tableText([head, ...rows], (cell, row) => (row === 0 ? style('dim', cell) : cell)));
  if (!whole) print(style('dim', 'Further runs of this crash are no longer stored.\n'));
}
