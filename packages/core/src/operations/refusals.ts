import { MERGE_REFUSALS, type MergeRefusal } from '../domain/merge.js';
import type { Run } from '../domain/run.js';
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

/** 412 with the current digest in the problem document. */
export function draftChanged(digest: string): CulpritError {
  return new CulpritError('draft_changed', 'The draft has changed since it was shown. Read it again.', {
    members: { digest },
  });
}

/** 403: the two-person rule. `members` names the reviewer who approved Gate 1, or the editor of the draft who asks. */
export function secondPerson(
  members: { readonly opened_by: string } | { readonly edited_by: string },
): CulpritError {
  const done = 'opened_by' in members ? 'approved Gate 1 of this run' : 'edited this draft';
  const detail = `You ${done}. Ask another reviewer to read and sign the draft.`;
  return new CulpritError('second_person_required', detail, { members });
}
