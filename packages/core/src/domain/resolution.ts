import * as v from 'valibot';
import { errorSchema } from './run-error.js';
import { about, type Doc, named, text } from './schema.js';

/** Why nobody works on a published run any more. */
export const RESOLUTIONS = ['fixed', 'not_planned', 'duplicate'] as const;

export const resolutionSchema = v.object({
  as: v.picklist(RESOLUTIONS),
  by: about(text, 'Null: the issue was closed on the code host.'),
  at: about(v.string(), 'ISO 8601.'),
  not_in: about(
    v.optional(v.array(v.string())),
    'Fixed in the next release: releases without the fix, whose crashes are only counted.',
  ),
});
/** A published run is over: a reviewer marked it as fixed, or its issue was closed. */
export interface Resolution extends Doc<typeof resolutionSchema> {}

/** What a reviewer says about the fix. Both absent: the next crash is a regression. */
export interface FixedIn {
  /** Full SHA. Crashes of revisions that do not contain it are only counted. */
  readonly commit?: string | undefined;
  /** Crashes of releases in which the run has crashed, and of those that are recorded now, are only counted. */
  readonly next_release?: boolean | undefined;
}

/** What happens to the issue of a run that a reviewer marks as fixed, and if that is undone. */
export const RESOLVED_RUNS = ['comment', 'close', 'nothing'] as const;
/** What happens to the run of an issue that is closed. */
export const CLOSED_ISSUES = ['resolve', 'nothing'] as const;
/** What a regression is published as. */
export const REGRESSION_ISSUES = ['new', 'reopen', 'comment'] as const;

/** How a run and its issue follow each other. */
export interface Following {
  /** `close`: a comment, and the issue is closed. Where the publisher cannot do it: what it can. */
  readonly resolvedRuns: (typeof RESOLVED_RUNS)[number];
  /** `resolve`: the run is over, so its next crash is a regression. `nothing`: crashes are counted on it. */
  readonly closedIssues: (typeof CLOSED_ISSUES)[number];
  /**
   * `new`: a new issue that links the earlier one. `reopen`: a comment on the earlier issue, which is then opened. `comment`: only
   * the comment. A new issue if the earlier one is gone, locked or in another repository, or if the publisher has no `reopening`.
   */
  readonly regressionIssues: (typeof REGRESSION_ISSUES)[number];
}

const effect = {
  comment: about(text, 'Text of the comment, without its trailer. Null: no comment.'),
  set: about(v.nullable(v.picklist(['open', 'closed'])), 'Null: the issue stays as it is.'),
};
export const effectSchema = named('IssueEffect', 'What a decision does to the issue.', v.object(effect));
/** What happens on the outside. */
export interface IssueEffect extends Doc<typeof effectSchema> {}

const progressSchema = v.object({
  attempts: v.number(),
  ambiguous: v.boolean(),
  looks: v.number(),
  failures: v.number(),
  not_before: text,
});
/** See `PublishIntent`. */
export interface FollowUpProgress extends Doc<typeof progressSchema> {}

export const followUpSchema = v.object({
  ...effect,
  number: about(v.number(), '1 for the first of a run.'),
  by: about(v.optional(v.string()), 'The reviewer who decided it. Absent: an older version stored it.'),
  at: about(v.string(), 'When it was decided. ISO 8601.'),
  state: v.picklist(['pending', 'done', 'failed']),
  comment_url: about(text, 'The comment, once it exists.'),
  done_at: about(text, 'When it was done. ISO 8601.'),
  error: errorSchema,
  progress: progressSchema,
});
/** What a decision does to the run's issue. Stored before it is done, so that it is done once; `comment` begins with the name `by`. */
export interface FollowUp extends Doc<typeof followUpSchema> {}

export const linkedIssueSchema = v.object({ repository: v.string(), number: v.number(), url: v.string() });
/** An issue, perhaps in another system than the run's own. */
export interface LinkedIssue extends Doc<typeof linkedIssueSchema> {}

export const linkBackSchema = v.object({
  issue: linkedIssueSchema,
  change: about(v.optional(followUpSchema), 'Set once the run is published.'),
});
/** The earlier issue of a regression that became a new issue, and the comment that links it from there. Decided by Gate 1. */
export interface LinkBack extends Doc<typeof linkBackSchema> {}

export const NO_PROGRESS: FollowUpProgress = {
  attempts: 0,
  ambiguous: false,
  looks: 0,
  failures: 0,
  not_before: null,
};

/** `Marked as fixed`, `Closed as not planned`, … */
export function resolutionText({ as, by, not_in }: Pick<Resolution, 'as' | 'by' | 'not_in'>): string {
  if (by !== null) return not_in === undefined ? 'Marked as fixed' : 'Marked as fixed in the next release';
  return as === 'fixed'
    ? 'Its issue was closed'
    : `Its issue was closed as ${as === 'duplicate' ? 'a duplicate' : 'not planned'}`;
}

/** What publishing a regression does, or did, to the earlier issue: `a comment on issue 1 of acme/shop links the new issue`. */
export function linkBackText(
  { issue: { repository, number }, change }: LinkBack,
  named = repository,
): string {
  const done = change?.state === 'done' ? 'links' : 'is to link';
  return `a comment on issue ${Math.trunc(number)} of ${named} ${change ? done : 'will link'} the new issue`;
}

/** What is being done, was done or failed on the issue: `comments on the issue and closes it`. `null`: nothing. */
export function effectText({ comment, set }: IssueEffect): string | null {
  const verb = set === 'closed' ? 'closes' : 'reopens';
  if (comment === null) return set === null ? null : `${verb} the issue`;
  return set === null ? 'adds a comment to the issue' : `adds a comment to the issue and ${verb} it`;
}
