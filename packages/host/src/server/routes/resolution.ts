import { effectSchema } from '@culprit/core/internal/domain/resolution';
import { runOperation } from '../operation.js';
import type { CoreRoute } from '../route.js';

/** What marking a published run as fixed does to its issue. */
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
  ];
}
