import { RUN_STATES } from '@culprit/core/internal/domain/run';
import { about, named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

const run = { run_id: v.string(), project: v.string(), title: v.string() };
const at = about(v.string(), 'ISO 8601.');

const gateSchema = v.object({
  decisions: about(v.number(), 'Decisions of reviewers that ended a wait at this gate.'),
  median_wait_ms: about(
    v.nullable(v.number()),
    'Median time from the run’s arrival at the gate to the decision; `null` without a decision.',
  ),
});

const listOf = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.object({
    count: v.number(),
    runs: about(v.array(v.object({ ...run, ...entries })), 'The latest 100, latest first.'),
  });

/** Response of `GET /api/v1/digest`. */
export const digestSchema = named(
  'Digest',
  'What happened in a shift.',
  v.object({
    since: at,
    until: at,
    waiting: v.object({
      at: about(v.string(), 'ISO 8601. Waiting runs are counted when the digest is made, not at `until`.'),
      gate1: v.number(),
      gate2: v.number(),
      oldest: about(
        v.array(v.object({ ...run, state: v.picklist(RUN_STATES), first_seen: v.string() })),
        'At most 5, the one seen first comes first.',
      ),
    }),
    gates: v.object({ gate1: gateSchema, gate2: gateSchema }),
    reviewers: about(
      v.array(
        v.object({
          name: v.string(),
          decisions: about(
            v.record(v.string(), v.number()),
            'By the name of the history entry. Without claims and comments.',
          ),
        }),
      ),
      'Everyone who decided something, most decisions first.',
    ),
    new_runs: v.number(),
    failed_analyses: v.number(),
    published: listOf({ at, number: v.number(), issue_url: v.string(), reopened: v.boolean() }),
    rejected: listOf({ at, by: v.nullable(v.string()), reason: v.nullable(v.string()) }),
    regressions: listOf({ at, state: v.picklist(RUN_STATES), regression_of: v.string() }),
    complete: about(
      v.boolean(),
      'False: more runs changed or are waiting than one digest reads. The figures cover the runs with the latest activity.',
    ),
  }),
);
export type Digest = Readonly<v.InferOutput<typeof digestSchema>>;
