import type { RunStory } from '@culprit/core';
import { RUN_STATES } from '@culprit/core/internal/domain/run';
import { ISSUE_ENDS } from '@culprit/core/internal/domain/story';
import * as v from 'valibot';

const issueSchema = v.object({
  number: v.number(),
  url: v.string(),
  published_at: v.string(),
  reopened: v.pipe(
    v.boolean(),
    v.description('An earlier run had created the issue, and this one reopened it.'),
  ),
});

const chapterSchema = v.object({
  run_id: v.string(),
  state: v.picklist(RUN_STATES),
  first_seen: v.pipe(v.string(), v.description('Receipt of the run’s first crash.')),
  release: v.pipe(
    v.nullable(v.string()),
    v.description('The first release that its crashes named. `null`: none did, or it is no longer stored.'),
  ),
  merged_into: v.pipe(
    v.nullable(v.string()),
    v.description('The run that counts its crashes, if it was merged.'),
  ),
  issue: v.pipe(v.nullable(issueSchema), v.description('`null`: the run was not published.')),
  closed: v.pipe(
    v.nullable(v.object({ as: v.picklist(ISSUE_ENDS), at: v.string() })),
    v.description('How the issue ended, and when Culprit learned it. `null`: not known to be closed.'),
  ),
  fix: v.pipe(
    v.nullable(
      v.object({
        commit: v.string(),
        pull_request: v.nullable(v.object({ number: v.number(), url: v.string() })),
      }),
    ),
    v.description('What closed the issue. `null`: unknown.'),
  ),
  fixed_in: v.pipe(
    v.nullable(v.string()),
    v.description('The first release that contains the fix, by the code host. `null`: unknown.'),
  ),
});

/** A run's story, oldest chapter first. */
export const storySchema = v.object({
  chapters: v.array(chapterSchema),
  whole: v.pipe(
    v.boolean(),
    v.description('False: further runs belong to the story, which are no longer stored or beyond its limit.'),
  ),
}) satisfies v.GenericSchema<unknown, RunStory>;

/** What a run has of its story. */
export const comebackMembers = {
  came_back_as: v.optional(
    v.pipe(
      v.string(),
      v.description('The latest run that is a regression of this one. Absent: none is known.'),
    ),
  ),
  returned: v.optional(
    v.pipe(
      v.nullable(v.object({ at: v.string(), by: v.string(), reason: v.string() })),
      v.description('The return of its draft to Gate 1, until Gate 1 is approved again.'),
    ),
  ),
};
