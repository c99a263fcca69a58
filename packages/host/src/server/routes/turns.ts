import { COMMENT_LIMITS } from '@culprit/core/internal/domain/claim';
import { SNOOZE_LIMITS } from '@culprit/core/internal/domain/snooze';
import * as v from 'valibot';
import { runOperation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { runSchema } from '../schema/run.js';

const untilSchema = v.variant('kind', [
  v.strictObject({
    kind: v.literal('time'),
    at: v.pipe(v.string(), v.description('ISO 8601, within 90 days.')),
  }),
  v.strictObject({
    kind: v.literal('crashes'),
    more: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(SNOOZE_LIMITS.crashes)),
  }),
  v.strictObject({ kind: v.literal('release') }),
]);
const snoozeSchema = v.strictObject({
  until: untilSchema,
  reason: v.exactOptional(
    v.pipe(v.string(), v.description('Stored in the history; at most 2,000 characters.')),
  ),
});
const claimBody = v.strictObject({
  take_over: v.optional(
    v.pipe(v.boolean(), v.description('Also if another reviewer has claimed the run. Default false.')),
    false,
  ),
});
const commentSchema = v.strictObject({
  comment: v.pipe(
    v.string(),
    v.description(`Stored in the history; at most ${COMMENT_LIMITS.chars.toLocaleString('en')} characters.`),
  ),
});

const TURN = { scope: 'comment', what: 'The run', schema: runSchema } as const;

/** What reviewers do between decisions: snooze a run, claim it, comment on it. */
export function turnRoutes(): CoreRoute[] {
  return [
    runOperation({
      ...TURN,
      at: 'POST /snooze',
      id: 'snoozeRun',
      summary: 'Snooze a run until a time, a number of further crashes or the next release',
      body: snoozeSchema,
      problems: ['state_conflict'],
      run: ({ engine, runId, reviewer, body: { until, reason } }) =>
        engine.snooze(runId, reviewer, until, reason),
    }),
    runOperation({
      ...TURN,
      at: 'POST /wake',
      id: 'wakeRun',
      summary: 'End a snooze: return the run to its gate',
      body: v.strictObject({}),
      problems: ['state_conflict'],
      run: ({ engine, runId, reviewer }) => engine.wake(runId, reviewer),
    }),
    runOperation({
      ...TURN,
      at: 'POST /claim',
      id: 'claimRun',
      summary: 'Claim a run: tell other reviewers that you look at it',
      body: claimBody,
      problems: ['state_conflict', 'claimed'],
      run: ({ engine, runId, reviewer, body }) => engine.claim(runId, reviewer, body.take_over),
    }),
    runOperation({
      ...TURN,
      at: 'DELETE /claim',
      id: 'releaseClaim',
      summary: 'Release your claim of a run',
      problems: ['claimed'],
      run: ({ engine, runId, reviewer }) => engine.releaseClaim(runId, reviewer),
    }),
    runOperation({
      ...TURN,
      at: 'POST /comments',
      id: 'commentOnRun',
      summary: 'Comment on a run. The history has the comments, and chat; the issue never has them',
      body: commentSchema,
      problems: ['state_conflict'],
      run: ({ engine, runId, reviewer, body }) => engine.comment(runId, reviewer, body.comment),
    }),
  ];
}
