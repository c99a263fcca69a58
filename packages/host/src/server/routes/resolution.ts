import * as v from 'valibot';
import { runOperation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { effectSchema } from '../schema/resolution.js';
import { runSchema } from '../schema/run.js';

const fixedSchema = v.strictObject({
  commit: v.exactOptional(
    v.pipe(
      v.string(),
      v.description('Full SHA of the fix: crashes of releases that do not contain it are only counted.'),
    ),
  ),
  next_release: v.exactOptional(
    v.pipe(
      v.boolean(),
      v.description('Crashes of the releases in which the run has crashed are only counted.'),
    ),
  ),
});
const CHANGE = { scope: 'gate2', what: 'The run', schema: runSchema, problems: ['state_conflict'] } as const;

/** Mark a published run as fixed, see what that does to its issue, and undo it. */
export function resolutionRoutes(): CoreRoute[] {
  return [
    runOperation({
      at: 'GET /resolution',
      scope: 'read',
      id: 'getResolutionEffect',
      summary: 'See what marking a run as fixed would do to its issue, or undoing that',
      query: {
        commit: 'As in the body of `POST`',
        next_release: { what: 'As in the body of `POST`', schema: { type: 'boolean' } },
      },
      what: 'The effect',
      schema: effectSchema,
      problems: ['state_conflict'],
      run({ request, engine, runId, reviewer }) {
        const { commit, next_release } = request.query;
        const fixedIn = {
          ...(commit === undefined ? {} : { commit }),
          ...(next_release === 'true' ? { next_release: true } : {}),
        };
        return engine.resolutionEffect(runId, fixedIn, reviewer);
      },
    }),
    runOperation({
      ...CHANGE,
      at: 'POST /resolution',
      id: 'resolveRun',
      summary: 'Mark a published run as fixed; repeated, try a failed change of the issue again',
      body: fixedSchema,
      run: ({ engine, runId, reviewer, body }) => engine.resolve(runId, reviewer, body),
    }),
    runOperation({
      ...CHANGE,
      at: 'DELETE /resolution',
      id: 'unresolveRun',
      summary: 'Undo the mark that a run is fixed, also on its issue',
      run: ({ engine, runId, reviewer }) => engine.unresolve(runId, reviewer),
    }),
  ];
}
