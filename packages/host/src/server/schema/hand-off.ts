import { HAND_OFF_TARGETS } from '@culprit/core/internal/domain/hand-off';
import * as v from 'valibot';

export const handOffTarget = v.picklist(HAND_OFF_TARGETS);

/** Members of a published run that was handed over. */
export const handOffMembers = {
  hand_offs: v.optional(
    v.pipe(
      v.array(
        v.object({
          to: handOffTarget,
          by: v.string(),
          at: v.string(),
          digest: v.pipe(v.string(), v.description('Of the signed draft.')),
          state: v.pipe(
            v.picklist(['pending', 'done', 'failed']),
            v.description('`pending` for long: the process ended meanwhile. Repeat the request.'),
          ),
          error: v.nullable(v.object({ code: v.string(), detail: v.string(), retryable: v.boolean() })),
        }),
      ),
      v.description('To whom reviewers handed the published run, at most once for each target.'),
    ),
  ),
};
