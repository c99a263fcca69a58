import { about, named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

const runActivitySchema = named(
  'RunActivity',
  'Crashes of a run in each of the last 24 hours.',
  v.object({
    total: about(v.number(), 'Occurrences of the run when `hours` was last updated.'),
    hours: about(
      v.array(v.number()),
      'Crashes in each of the last 24 hours, oldest first; the current hour is last.',
    ),
  }),
);
export type RunActivity = Readonly<v.InferOutput<typeof runActivitySchema>>;

/** Response of `GET /api/v1/activity`. */
export const activitySchema = v.object({
  runs: about(v.record(v.string(), runActivitySchema), 'By run ID.'),
});
