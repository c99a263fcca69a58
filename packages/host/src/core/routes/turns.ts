import { COMMENT_LIMITS, SNOOZE_LIMITS } from '@culprit/core/model';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { readBody, readOptionalBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { runSchema } from '../schema/run.js';
import { runId } from './run-reader.js';

const noBody = v.strictObject({});
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

const POST = {
  access: 'reviewer',
  scope: 'comment',
  reach: 'projects',
  method: 'POST',
  bodyLimit: 16 * 1024,
} as const;
const answers = { 200: { what: 'The run', schema: runSchema } };

/** What reviewers do between decisions: snooze a run, claim it, comment on it. */
export function turnRoutes(): CoreRoute[] {
  return [...snoozeRoutes(), ...claimRoutes(), commentRoute()];
}

function snoozeRoutes(): CoreRoute[] {
  return [
    {
      ...POST,
      pattern: '/api/v1/runs/:run_id/snooze',
      doc: {
        id: 'snoozeRun',
        summary: 'Snooze a run until a time, a number of further crashes or the next release',
        body: { schema: snoozeSchema, required: true },
        answers,
        problems: ['malformed', 'run_not_found', 'state_conflict'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        const { until, reason } = readBody(request, snoozeSchema);
        return jsonResponse(200, await engine.snooze(runId(request), identity.reviewer, until, reason));
      },
    },
    {
      ...POST,
      pattern: '/api/v1/runs/:run_id/wake',
      doc: {
        id: 'wakeRun',
        summary: 'End a snooze: return the run to its gate',
        body: { schema: noBody, required: false },
        answers,
        problems: ['malformed', 'run_not_found', 'state_conflict'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        readOptionalBody(request, noBody);
        return jsonResponse(200, await engine.wake(runId(request), identity.reviewer));
      },
    },
  ];
}

function claimRoutes(): CoreRoute[] {
  const pattern = '/api/v1/runs/:run_id/claim';
  return [
    {
      ...POST,
      pattern,
      doc: {
        id: 'claimRun',
        summary: 'Claim a run: tell other reviewers that you look at it',
        body: { schema: claimBody, required: false },
        answers,
        problems: ['malformed', 'run_not_found', 'state_conflict', 'claimed'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        const takeOver = readOptionalBody(request, claimBody)?.take_over ?? false;
        return jsonResponse(200, await engine.claim(runId(request), identity.reviewer, takeOver));
      },
    },
    {
      access: 'reviewer',
      scope: 'comment',
      reach: 'projects',
      method: 'DELETE',
      pattern,
      doc: {
        id: 'releaseClaim',
        summary: 'Release your claim of a run',
        answers,
        problems: ['run_not_found', 'claimed'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        return jsonResponse(200, await engine.releaseClaim(runId(request), identity.reviewer));
      },
    },
  ];
}

function commentRoute(): CoreRoute {
  return {
    ...POST,
    pattern: '/api/v1/runs/:run_id/comments',
    doc: {
      id: 'commentOnRun',
      summary: 'Comment on a run. The history has the comments, and chat; the issue never has them',
      body: { schema: commentSchema, required: true },
      answers,
      problems: ['malformed', 'run_not_found', 'state_conflict'],
    },
    async handle({ request, engine, identity }: ReviewerCall) {
      const { comment } = readBody(request, commentSchema);
      return jsonResponse(200, await engine.comment(runId(request), identity.reviewer, comment));
    },
  };
}
