import { CulpritError } from '@culprit/core';
import { HAND_OFF_TARGETS } from '@culprit/core/internal/domain/hand-off';
import { runSchema } from '@culprit/core/internal/domain/run';
import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import type { Webhooks } from '../../webhooks/webhooks.js';
import { ifMatch } from '../entity-tag.js';
import { runOperation } from '../operation.js';
import type { CoreRoute } from '../route.js';

const bodySchema = v.strictObject({
  to: about(
    v.picklist(HAND_OFF_TARGETS),
    '`github`: assign GitHub’s coding agent. `webhook`: send `run.handed_off` with the fix brief.',
  ),
  comments: v.optional(
    about(
      v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be the digest of comments_unconfirmed')),
      'You have read the comments on the issue, which the agent reads, too: `comments.digest` of comments_unconfirmed.',
    ),
  ),
});

/** Hands a published run to a coding agent or to webhooks. */
export function handOffRoutes(webhooks: () => Webhooks): CoreRoute[] {
  return [
    runOperation({
      at: 'POST /hand-offs',
      scope: 'gate2',
      bodyLimit: 1024,
      id: 'handOffRun',
      summary: 'Hand a published run over, once for each target',
      headers: { 'If-Match': 'The digest of the signed draft, required' },
      body: bodySchema,
      what: 'The run; its `hand_offs` has this one',
      schema: runSchema,
      problems: [
        'state_conflict',
        'hand_off_refused',
        'comments_unconfirmed',
        'draft_changed',
        'precondition_required',
        'code_host_unavailable',
      ],
      async run({ request, engine, runId, reviewer, body: { to, comments } }) {
        const run = await engine.run(runId);
        const digest = ifMatch(request);
        if (digest === null)
          throw new CulpritError(
            'precondition_required',
            'Send If-Match with the digest of the signed draft.',
          );
        const done = run.hand_offs?.some((one) => one.to === to) === true;
        if (to === 'webhook' && !done && !(await webhooks().wants('run.handed_off', run)))
          throw new CulpritError(
            'hand_off_refused',
            'No webhook receives the event run.handed_off for this run. Make one under Settings, or with culprit webhooks create.',
          );
        return engine.handOff(run.run_id, reviewer, { to, digest, comments });
      },
    }),
  ];
}
