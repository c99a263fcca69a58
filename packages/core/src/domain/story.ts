import { type Fix, fixName } from './fix.js';
import type { RunState } from './run.js';

/** Chapters of one story. */
export const MOST_CHAPTERS = 20;

/**
 * How a run ended: its issue was closed, as the code host said (`deleted` includes a transfer out of sight), or a reviewer marked
 * the run as fixed.
 */
export const ISSUE_ENDS = ['completed', 'not_planned', 'duplicate', 'deleted', 'marked_fixed'] as const;
/** One of `ISSUE_ENDS`. */
export type IssueEnd = (typeof ISSUE_ENDS)[number];

/** The issue of a chapter. */
export interface ChapterIssue {
  readonly number: number;
  readonly url: string;
  /** ISO 8601. */
  readonly published_at: string;
  /** True: an earlier run had created the issue, and this one reopened it. */
  readonly reopened: boolean;
}

/** One run in the story of its crash. */
export interface Chapter {
  readonly run_id: string;
  readonly state: RunState;
  /** Receipt of the run's first crash, ISO 8601. */
  readonly first_seen: string;
  /** The first release that its crashes named. `null`: none did, or it is no longer stored. */
  readonly release: string | null;
  /** The run that counts its crashes, if it was merged. */
  readonly merged_into: string | null;
  /** `null`: the run was not published. */
  readonly issue: ChapterIssue | null;
  /** How the run ended, and when Culprit learned it (ISO 8601). `null`: its issue is open as far as Culprit knows. */
  readonly closed: { readonly as: IssueEnd; readonly at: string } | null;
  /** What closed the issue. `null`: unknown. */
  readonly fix: Fix | null;
  /** The first release that contains the fix, by the code host. `null`: unknown. */
  readonly fixed_in: string | null;
}

/** The runs of one crash that was published and came back, oldest first. One chapter: it did not come back. */
export interface RunStory {
  readonly chapters: readonly Chapter[];
  /** False: further runs belong to the story, but they are no longer stored or beyond `MOST_CHAPTERS`. */
  readonly whole: boolean;
}

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
