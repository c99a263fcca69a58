import * as v from 'valibot';
import { fixName, fixSchema } from './fix.js';
import { RUN_STATES } from './run.js';
import { about, type Doc, named, text } from './schema.js';

/** Chapters of one story. */
export const MAX_CHAPTERS = 20;

/**
 * How a run ended: its issue was closed, as the code host said (`deleted` includes a transfer out of sight), or a reviewer marked
 * the run as fixed.
 */
export const ISSUE_ENDS = ['completed', 'not_planned', 'duplicate', 'deleted', 'marked_fixed'] as const;
/** One of `ISSUE_ENDS`. */
export type IssueEnd = (typeof ISSUE_ENDS)[number];

const issueSchema = v.object({
  number: v.number(),
  url: v.string(),
  published_at: about(v.string(), 'ISO 8601.'),
  reopened: about(v.boolean(), 'An earlier run had created the issue, and this one reopened it.'),
});

const chapterSchema = v.object({
  run_id: v.string(),
  state: v.picklist(RUN_STATES),
  first_seen: about(v.string(), 'Receipt of the run’s first crash.'),
  release: about(
    text,
    'The first release that its crashes named. `null`: none did, or it is no longer stored.',
  ),
  merged_into: about(text, 'The run that counts its crashes, if it was merged.'),
  issue: about(v.nullable(issueSchema), '`null`: the run was not published.'),
  closed: about(
    v.nullable(v.object({ as: v.picklist(ISSUE_ENDS), at: v.string() })),
    'How the issue ended, and when Culprit learned it. `null`: not known to be closed.',
  ),
  fix: about(v.nullable(fixSchema), 'What closed the issue. `null`: unknown.'),
  fixed_in: about(text, 'The first release that contains the fix, by the code host. `null`: unknown.'),
});
/** One run in the story of its crash. */
export interface Chapter extends Doc<typeof chapterSchema> {}

export const storySchema = named(
  'Story',
  'The runs of a crash that was published and came back.',
  v.object({
    chapters: about(v.array(chapterSchema), 'Oldest first. One chapter: it did not come back.'),
    whole: about(
      v.boolean(),
      'False: further runs belong to the story, which are no longer stored or beyond its limit.',
    ),
  }),
);
/** The runs of one crash that was published and came back. */
export interface RunStory extends Doc<typeof storySchema> {}

/** What happened to the issue of a chapter: `published as #12, fixed by abc1234 in v2.3.0`. `null` without an issue. */
export function chapterText({ issue, closed, fix, fixed_in }: Omit<Chapter, 'run_id'>): string | null {
  if (issue === null) return null;
  const published = `${issue.reopened ? 'reopened' : 'published as'} #${Math.trunc(issue.number)}`;
  if (fix !== null)
    return `${published}, fixed by ${fixName(fix)}${fixed_in === null ? '' : ` in ${fixed_in}`}`;
  return closed === null ? published : `${published}, ${ISSUE_END_WORDS[closed.as]}`;
}

/** The words for the end of an issue. */
export const ISSUE_END_WORDS: Readonly<Record<IssueEnd, string>> = {
  completed: 'closed',
  not_planned: 'closed as not planned',
  duplicate: 'closed as a duplicate',
  deleted: 'deleted',
  marked_fixed: 'marked as fixed',
};

/** The story up to a run, as one sentence without a full stop; `null` if the run is no regression. Releases are text from outside. */
export function storyText({ chapters }: RunStory, runId: string): string | null {
  const at = chapters.findIndex(({ run_id }) => run_id === runId);
  if (at < 1) return null;
  const parts = chapters.slice(0, at + 1).flatMap((chapter, index) => {
    const before = chapters[index - 1];
    // The run that another one was merged into did not come back.
    const came = before !== undefined && before.merged_into === null;
    const back = came ? [`back${chapter.release === null ? '' : ` in ${chapter.release}`}`] : [];
    const text = index === at ? null : chapterText(chapter);
    return [...back, ...(text === null ? [] : [text])];
  });
  return parts.join(', ');
}
