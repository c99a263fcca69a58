import { type CheckedFinding, FINDING_CHECKS, NO_EFFECT, type NoEffect } from '../domain/investigation.js';
import { MERGE_REFUSALS, type MergeRefusal } from '../domain/merge.js';
import type { Run } from '../domain/run.js';
import { type Involvement, involvementText } from '../domain/second-person.js';
import { CulpritError } from '../errors/error.js';

/** 409 with the current state in the problem document. */
export function stateConflict(run: Run, what: string): CulpritError {
  return new CulpritError('state_conflict', `${what} is not possible while the run is ${run.state}.`, {
    members: { state: run.state },
  });
}

/** 409: the crash has started a later run, which is named in the problem document. */
export function laterRun(run: Run, latest: string): CulpritError {
  return new CulpritError(
    'state_conflict',
    `The rejection cannot be undone: ${latest} is a later run of this crash.`,
    {
      members: { state: run.state, latest },
    },
  );
}

/** 409: the crash has started a later run, which is named in the problem document. */
export function notLatest(run: Run, latest: string): CulpritError {
  const detail = `The crash has started a later run, ${latest}. Decide about that one.`;
  return new CulpritError('state_conflict', detail, { members: { state: run.state, latest } });
}

/** 409 with the code of the reason in the problem document. */
export function mergeRefused(reason: MergeRefusal, members: { readonly latest?: string } = {}): CulpritError {
  return new CulpritError('merge_refused', MERGE_REFUSALS[reason], { members: { reason, ...members } });
}

/** 409: the crash has started a later run, which is named in the problem document. */
export function splitRefused(run: Run, latest: string): CulpritError {
  return new CulpritError(
    'state_conflict',
    `The run cannot be split: ${latest} is a later run of its crash.`,
    {
      members: { state: run.state, latest },
    },
  );
}

/** 503: the setting. */
export function investigationsOff(): CulpritError {
  return new CulpritError('no_investigator', 'Investigations are turned off: INVESTIGATE is "off".');
}

/** The checks that failed, each as a sentence. */
export function failedChecks(checks: readonly CheckedFinding[]): string {
  return checks.flatMap(({ code, ok }) => (ok ? [] : ` Not true: “${FINDING_CHECKS[code]}.”`)).join('');
}

/** 409: the finding has no effect, and an earlier one keeps its own. `reason` and `checks` are of the refused one. */
export function findingRefused(
  { state }: Run,
  reason: NoEffect,
  checks: readonly CheckedFinding[],
): CulpritError {
  const why = reason === 'unsure' ? 'It is less sure than that one.' : NO_EFFECT[reason];
  const detail = `The run keeps its earlier finding or investigation. ${why}${failedChecks(checks)}`;
  return new CulpritError('state_conflict', detail, { members: { state, reason, checks } });
}

/** 412 with the current digest in the problem document. */
export function draftChanged(digest: string): CulpritError {
  return new CulpritError('draft_changed', 'The draft has changed since it was shown. Read it again.', {
    members: { digest },
  });
}

/** 403: the two-person rule. `members` names the reviewer who approved Gate 1, or the one who shaped the draft and asks. */
export function secondPerson(members: Involvement): CulpritError {
  const detail = `You ${involvementText(members)}. Ask another reviewer to read and sign the draft.`;
  return new CulpritError('second_person_required', detail, { members });
}
