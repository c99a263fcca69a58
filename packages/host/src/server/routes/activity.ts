import { CulpritError } from '@culprit/core';
import type { Activity } from '../activity.js';
import { visibleRuns } from '../limited-engine.js';
import { operation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { activitySchema } from '../schema/activity.js';

const MOST = 100;

/** Hourly counts for the board's charts. */
export function activityRoutes(activity: () => Activity): CoreRoute[] {
  return [
    operation({
      at: 'GET /api/v1/activity',
      scope: 'read',
      reach: 'projects',
      id: 'getActivity',
      summary: 'Get crashes per hour of the last 24 hours',
      query: {
        runs: {
          what: `Run IDs, separated by commas, at most ${MOST}`,
          schema: { type: 'string' },
          required: true,
        },
      },
      what: 'Counts of known runs',
      schema: activitySchema,
      async run({ request, engine, within }) {
        const ids = [...new Set((request.query.runs ?? '').split(','))].filter((id) => id !== '');
        if (ids.length === 0 || ids.length > MOST || !ids.every((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id))) {
          throw new CulpritError('malformed', `"runs" must be 1 to ${MOST} run IDs, separated by commas.`, {
            path: 'runs',
          });
        }
        const visible = await visibleRuns(engine, ids, within.projects);
        return { runs: await activity().of(ids.filter((id) => visible.has(id))) };
      },
    }),
  ];
}
