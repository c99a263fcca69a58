import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { readBody, readOptionalBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { runSchema } from '../schema/run.js';
import { runId } from './run-reader.js';

const LIMIT = 16 * 1024;
const ROUTE = {
  access: 'reviewer',
  scope: 'gate1',
  reach: 'projects',
  method: 'POST',
  bodyLimit: LIMIT,
} as const;
const mergeSchema = v.strictObject({
  into: v.pipe(
    v.string(),
    v.maxLength(64),
    v.description('ID of the run that counts the crashes from now on.'),
  ),
});
const splitSchema = v.strictObject({});
const resultSchema = v.object({ run: runSchema, into: v.nullable(runSchema) });

/** Two runs of one crash become one, and two again. */
export function mergeRoutes(): CoreRoute[] {
  return [
    {
      ...ROUTE,
      pattern: '/api/v1/runs/:run_id/merge',
      doc: {
        id: 'mergeRun',
        summary: 'Merge a waiting run into another one, which counts its crashes from now on',
        body: { schema: mergeSchema, required: true },
        answers: { 200: { what: 'Both runs; merging again changes nothing', schema: resultSchema } },
        problems: ['malformed', 'run_not_found', 'merge_refused'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        const { into } = readBody(request, mergeSchema);
        return jsonResponse(200, await engine.merge(runId(request), into, identity.reviewer));
      },
    },
    {
      ...ROUTE,
      pattern: '/api/v1/runs/:run_id/split',
      doc: {
        id: 'splitRun',
        summary: 'Undo a merge: the run returns to its gate, with its crashes',
        body: { schema: splitSchema, required: false },
        answers: {
          200: { what: 'Both runs; `into` is null if retention has deleted it', schema: resultSchema },
        },
        problems: ['malformed', 'run_not_found', 'state_conflict'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        readOptionalBody(request, splitSchema);
        return jsonResponse(200, await engine.split(runId(request), identity.reviewer));
      },
    },
  ];
}
