import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { readOptionalBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { effectSchema } from '../schema/resolution.js';
import { runSchema } from '../schema/run.js';
import { runId } from './run-reader.js';

const pattern = '/api/v1/runs/:run_id/resolution';
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
const answers = { 200: { what: 'The run', schema: runSchema } };

/** Mark a published run as fixed, see what that does to its issue, and undo it. */
export function resolutionRoutes(): CoreRoute[] {
  return [
    {
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      method: 'GET',
      pattern,
      doc: {
        id: 'getResolutionEffect',
        summary: 'See what marking a run as fixed would do to its issue, or undoing that',
        query: {
          commit: 'As in the body of `POST`',
          next_release: { what: 'As in the body of `POST`', schema: { type: 'boolean' } },
        },
        answers: { 200: { what: 'The effect', schema: effectSchema } },
        problems: ['malformed', 'run_not_found', 'state_conflict'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        const { commit, next_release } = request.query;
        const fixedIn = {
          ...(commit === undefined ? {} : { commit }),
          ...(next_release === 'true' ? { next_release: true } : {}),
        };
        return jsonResponse(200, await engine.resolutionEffect(runId(request), fixedIn, identity.reviewer));
      },
    },
    {
      access: 'reviewer',
      scope: 'gate2',
      reach: 'projects',
      method: 'POST',
      bodyLimit: 16 * 1024,
      pattern,
      doc: {
        id: 'resolveRun',
        summary: 'Mark a published run as fixed; repeated, try a failed change of the issue again',
        body: { schema: fixedSchema, required: false },
        answers,
        problems: ['malformed', 'run_not_found', 'state_conflict'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        const fixedIn = readOptionalBody(request, fixedSchema) ?? {};
        return jsonResponse(200, await engine.resolve(runId(request), identity.reviewer, fixedIn));
      },
    },
    {
      access: 'reviewer',
      scope: 'gate2',
      reach: 'projects',
      method: 'DELETE',
      pattern,
      doc: {
        id: 'unresolveRun',
        summary: 'Undo the mark that a run is fixed, also on its issue',
        answers,
        problems: ['run_not_found', 'state_conflict'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        return jsonResponse(200, await engine.unresolve(runId(request), identity.reviewer));
      },
    },
  ];
}
