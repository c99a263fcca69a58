import { CulpritError, isCulpritError, type RunStatistics } from '@culprit/core';
import { inBatches } from '@culprit/core/internal/resilience/batches';
import { operation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { activitySchema, type RunActivity } from '../schema/activity.js';

const MAX = 100;
/** Runs that are read at once. */
const AT_ONCE = 16;
const HOURS = 24;
const HOUR_MS = 60 * 60_000;

/** Hourly counts for the board's charts. `now`: milliseconds since 1970. */
export function activityRoutes(now: () => number): CoreRoute[] {
  return [
    operation({
      at: 'GET /api/v1/activity',
      scope: 'read',
      reach: 'projects',
      id: 'getActivity',
      summary: 'Get crashes per hour of the last 24 hours',
      query: {
        runs: {
          what: `Run IDs, separated by commas, at most ${MAX}`,
          schema: { type: 'string' },
          required: true,
        },
      },
      what: 'Counts of known runs',
      schema: activitySchema,
      async run({ request, engine }) {
        const ids = [...new Set((request.query.runs ?? '').split(','))].filter((id) => id !== '');
        if (ids.length === 0 || ids.length > MAX || !ids.every((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id))) {
          throw new CulpritError('malformed', `"runs" must be 1 to ${MAX} run IDs, separated by commas.`, {
            path: 'runs',
          });
        }
        const rows = await inBatches(ids, AT_ONCE, async (id) => {
          try {
            const { hours } = await engine.statistics(id);
            const { occurrences: total } = await engine.run(id);
            return hours.length === 0 ? [] : [[id, { total, hours: lastHours(hours, now()) }] as const];
          } catch (error) {
            if (isCulpritError(error, 'run_not_found')) return [];
            throw error;
          }
        });
        return { runs: Object.fromEntries(rows.flat()) };
      },
    }),
  ];
}

/** The counts of the last hours, oldest first. */
function lastHours(hours: RunStatistics['hours'], now: number): RunActivity['hours'] {
  const last = Math.floor(now / HOUR_MS);
  const counts = new Map(hours.map(({ from, occurrences }) => [Date.parse(from) / HOUR_MS, occurrences]));
  return Array.from({ length: HOURS }, (_, at) => counts.get(last - HOURS + 1 + at) ?? 0);
}
