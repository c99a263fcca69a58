import * as v from 'valibot';
import { about } from '../domain/schema.js';
import { handledCommand } from './command.js';
import { OF_RUN } from './reach.js';

/** What a reviewer says about the fix. */
export const fixedInSchema = v.pipe(
  v.strictObject({
    commit: v.exactOptional(
      about(
        v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a full SHA in lower case')),
        'Full SHA of the fix: crashes of releases that do not contain it are only counted.',
      ),
    ),
    next_release: v.exactOptional(
      about(v.boolean(), 'Crashes of the releases in which the run has crashed are only counted.'),
    ),
  }),
  v.forward(
    v.check(
      ({ commit, next_release }) => commit === undefined || next_release !== true,
      'and "next_release" cannot both be given',
    ),
    ['commit'],
  ),
);

const ROW = {
  scope: 'gate2',
  reach: OF_RUN,
  answer: 'run',
  what: 'The run',
  problems: ['state_conflict'],
} as const;

/** A published run is over, or is not. */
export const RESOLUTION = {
  /**
   * Marks a published run as fixed: its next crash is a regression, unless its release does not have the fix. What that does to
   * the issue is `policy.resolvedRuns` of the project; it is stored with the decision and done once. Repeated, it tries a failed
   * change of the issue again. Rejects with `state_conflict` if the run is not published or its crash has started a later run.
   */
  resolve: handledCommand({
    ...ROW,
    id: 'resolveRun',
    at: 'POST /resolution',
    summary: 'Mark a published run as fixed; if it is repeated, retry a failed change of the issue',
    input: fixedInSchema,
    handle: ({ resolving }, ...decision) => resolving.resolve(...decision),
  }),
  /**
   * Undoes `resolve`, also on the issue. Rejects with `state_conflict` if the issue was closed on the code host: it has to be
   * opened there.
   */
  unresolve: handledCommand({
    ...ROW,
    id: 'unresolveRun',
    at: 'DELETE /resolution',
    summary: 'Undo the mark that a run is fixed, also on its issue',
    input: v.strictObject({}),
    handle: ({ resolving }, runId, reviewer) => resolving.unresolve(runId, reviewer),
  }),
};
