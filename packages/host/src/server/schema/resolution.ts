import { RESOLUTIONS } from '@culprit/core/internal/domain/resolution';
import * as v from 'valibot';

const effect = {
  comment: v.pipe(
    v.nullable(v.string()),
    v.description('Text of the comment, without its trailer. Null: no comment.'),
  ),
  set: v.pipe(v.nullable(v.picklist(['open', 'closed'])), v.description('Null: the issue stays as it is.')),
};
/** What a decision does to the issue. */
export const effectSchema = v.object(effect);

const failure = v.object({ code: v.string(), detail: v.string(), retryable: v.boolean() });

/** A change of an issue, and whether it is done. */
const changeSchema = v.object({
  ...effect,
  number: v.number(),
  by: v.optional(v.string()),
  at: v.string(),
  state: v.picklist(['pending', 'done', 'failed']),
  comment_url: v.nullable(v.string()),
  done_at: v.nullable(v.string()),
  error: v.nullable(failure),
  progress: v.object({
    attempts: v.number(),
    ambiguous: v.boolean(),
    looks: v.number(),
    failures: v.number(),
    not_before: v.nullable(v.string()),
  }),
});

/** An issue, perhaps in another system than the run's own. */
export const linkedIssueSchema = v.object({ repository: v.string(), number: v.number(), url: v.string() });

/** Members of a published run that is over, and of a regression. */
export const resolutionMembers = {
  resolution: v.optional(
    v.pipe(
      v.nullable(
        v.object({
          as: v.picklist(RESOLUTIONS),
          by: v.pipe(v.nullable(v.string()), v.description('Null: the issue was closed on the code host.')),
          at: v.string(),
          not_in: v.optional(
            v.pipe(
              v.array(v.string()),
              v.description('Fixed in the next release: releases without the fix.'),
            ),
          ),
        }),
      ),
      v.description('Set on a published run that is over: its next crash is a regression.'),
    ),
  ),
  follow_up: v.optional(
    v.pipe(
      v.nullable(changeSchema),
      v.description('What the latest decision about `resolution` does to the issue, and whether it is done.'),
    ),
  ),
  link_back: v.optional(
    v.pipe(
      v.nullable(v.object({ issue: linkedIssueSchema, change: v.optional(changeSchema) })),
      v.description(
        'The earlier issue that gets a comment with the link of the new issue of this regression. `change` is set once the run is published.',
      ),
    ),
  ),
};
