import * as v from 'valibot';
import { type Finding, findingSchema, NO_EFFECT } from '../domain/investigation.js';
import type { Run } from '../domain/run.js';
import { handledCommand } from './command.js';
import { OF_RUN } from './reach.js';
import { failedChecks } from './refusals.js';

const finding: v.GenericSchema<Finding> & Pick<typeof findingSchema, 'entries'> = findingSchema;
const ROW = { reach: OF_RUN, answer: 'run' } as const;

/** What reviewers and agents decide about investigations. */
export const INVESTIGATION = {
  /** Resolves with the run as soon as the start is stored. Has no effect while one is under way. */
  startInvestigation: handledCommand({
    ...ROW,
    scope: 'investigate',
    id: 'startInvestigation',
    at: 'POST /investigation',
    summary: 'Let the configured model investigate the run. Read the run again to see how far it is',
    done: () => 'The investigation has started. get_investigation shows how far it is.',
    tool: 'start_investigation',
    input: v.strictObject({}),
    what: 'The run, with its investigation',
    problems: ['no_investigator', 'state_conflict', 'investigation_limit'],
    handle: ({ investigations }, runId, reviewer) => investigations.start(runId, reviewer),
  }),
  /** Has no effect if none is under way. */
  stopInvestigation: handledCommand({
    ...ROW,
    scope: 'investigate',
    id: 'stopInvestigation',
    at: 'DELETE /investigation',
    summary: 'Stop the investigation of a run',
    input: v.strictObject({}),
    what: 'The run',
    problems: [],
    handle: ({ investigations }, runId, reviewer) => investigations.stop(runId, reviewer),
  }),
  /**
   * A finding that fails a check changes no draft: the run's investigation says which. Rejects with `state_conflict`, whose members
   * `reason` and `checks` say what is wrong, if the run keeps an earlier finding.
   */
  submitFinding: handledCommand({
    ...ROW,
    scope: 'investigate',
    id: 'submitFinding',
    at: 'POST /finding',
    summary:
      'Hand in the finding of an investigation. It is checked at once; one that passes changes the suspects and the draft, unless a reviewer has edited it',
    done: outcomeOf,
    tool: 'submit_finding',
    input: finding,
    what: 'The run; `investigation.checks` says what was checked, `investigation.state` whether the draft follows the finding',
    problems: ['no_investigator', 'state_conflict', 'investigation_limit', 'code_host_unavailable'],
    handle: ({ findings }, runId, reviewer, given) => findings.submit(runId, reviewer, given),
  }),
  /**
   * Derives the draft again by the suspects of the ranking, or by the finding. It replaces the draft with this digest, also an edited
   * one; rejects with `draft_changed` if the draft has another one now.
   */
  chooseSuspects: handledCommand({
    ...ROW,
    scope: 'gate2',
    id: 'chooseSuspects',
    at: 'PUT /suspects',
    summary: 'Choose whose suspects the draft follows: those of the ranking, or those of the investigation',
    input: v.strictObject({
      by: v.picklist(['ranking', 'investigation']),
      digest: v.optional(v.string()),
    }),
    ifMatch: 'The ETag of the draft that is replaced',
    what: 'The run, with the new draft',
    problems: ['state_conflict', 'draft_changed', 'precondition_required'],
    handle: ({ findings }, runId, reviewer, choice) => findings.choose(runId, reviewer, choice),
  }),
};

/** What came of a finding. */
function outcomeOf({ investigation }: Run): string {
  const { checks = [], reason = null } = investigation ?? {};
  if (reason === null) return 'The finding passed its checks. The suspects and the draft follow it now.';
  return `The draft was not changed. ${NO_EFFECT[reason]}${failedChecks(checks)}`;
}
