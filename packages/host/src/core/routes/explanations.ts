import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { createTokenBuckets, type TokenBuckets } from '../../http/token-buckets.js';
import { readOptionalBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { comparisonSchema, modelSchema } from '../schema/explanation.js';
import { runId } from './run-reader.js';

/** It has no members; unknown ones are rejected. */
const bodySchema = v.strictObject({});
/** Comparisons of one reviewer: so many at once, then one each half minute. The engine makes one at a time. */
const AT_ONCE = 10;
const PER_SECOND = 1 / 30;

/** The model: what is known about it, and what it says about a run now. */
export function explanationRoutes(): CoreRoute[] {
  const limit = createTokenBuckets({ rate: () => PER_SECOND, burst: () => AT_ONCE });
  return [
    {
      method: 'GET',
      pattern: '/api/v1/model',
      access: 'reviewer',
      scope: 'read',
      reach: 'none',
      doc: {
        id: 'getModel',
        summary: 'Get what is known about the configured model, without asking it',
        answers: { 200: { what: 'The model, and what its probe found', schema: modelSchema } },
      },
      // What the model server said may contain addresses and keys.
      handle: ({ engine }: ReviewerCall) => {
        const model = engine.model();
        const clean = (text: string | null) => text && engine.sanitiser.text(text).value;
        const shown = model && { ...model, version: clean(model.version), reason: clean(model.reason) };
        return jsonResponse(200, { model: shown });
      },
    },
    {
      method: 'POST',
      pattern: '/api/v1/runs/:run_id/explanation/comparison',
      access: 'reviewer',
      // Gate 1 is what makes the model work; so is this.
      scope: 'gate1',
      reach: 'projects',
      bodyLimit: 1_024,
      doc: {
        id: 'compareExplanations',
        summary:
          'Ask the model about an analysed run now, and derive its explanation by rules again. Changes nothing',
        body: { schema: bodySchema, required: false },
        answers: { 200: { what: 'Both explanations', schema: comparisonSchema } },
        problems: [
          'malformed',
          'run_not_found',
          'not_found',
          'no_model',
          'model_busy',
          'code_host_unavailable',
        ],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        readOptionalBody(request, bodySchema);
        const admit = () => counted(limit, identity.reviewer.name);
        const { signal } = request;
        return jsonResponse(200, await engine.compareExplanations(runId(request), { signal, admit }));
      },
    },
  ];
}

/** Counts what reaches the model. @throws `rate_limited` */
function counted(limit: TokenBuckets, reviewer: string): void {
  const retryAfterMs = limit.take(reviewer);
  if (retryAfterMs > 0)
    throw new CulpritError('rate_limited', 'You have asked the model often. Try again later.', {
      retryAfterMs,
    });
}
