import * as v from 'valibot';
import { runOperation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { runSchema } from '../schema/run.js';

const mergeSchema = v.strictObject({
  into: v.pipe(
    v.string(),
    v.maxLength(64),
    v.description('ID of the run that counts the crashes from now on.'),
  ),
});
const schema = v.object({ run: runSchema, into: v.nullable(runSchema) });

/** Two runs of one crash become one, and two again. */
export function mergeRoutes(): CoreRoute[] {
  return [
    runOperation({
      at: 'POST /merge',
      scope: 'gate1',
      id: 'mergeRun',
      summary: 'Merge a waiting run into another one, which counts its crashes from now on',
      body: mergeSchema,
      what: 'Both runs; merging again changes nothing',
      schema,
      problems: ['merge_refused'],
      run: ({ engine, runId, reviewer, body }) => engine.merge(runId, body.into, reviewer),
    }),
    runOperation({
      at: 'POST /split',
      scope: 'gate1',
      id: 'splitRun',
      summary: 'Undo a merge: the run returns to its gate, with its crashes',
      body: v.strictObject({}),
      what: 'Both runs; `into` is null if retention has deleted it',
      schema,
      problems: ['state_conflict'],
      run: ({ engine, runId, reviewer }) => engine.split(runId, reviewer),
    }),
  ];
}
