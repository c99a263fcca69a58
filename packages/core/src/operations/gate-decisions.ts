import * as v from 'valibot';
import { DRAFT_LIMITS, type Draft } from '../domain/draft.js';
import { decision } from '../domain/entries.js';
import { nextState, type Run } from '../domain/run.js';
import type { RejectResult } from '../engine-results.js';
import { CulpritError } from '../errors/error.js';
import { editedDraft } from '../pipeline/edit-draft.js';
import type { RunPatch } from '../ports/run-store.js';
import { malformed } from './check-input.js';
import { runCommand } from './command.js';
import { freeText } from './free-text.js';
import { OF_RUN } from './reach.js';
import { draftChanged, laterRun, stateConflict } from './refusals.js';
import { settled } from './settled.js';

/** Cleared when a run returns to `staged_raw`; Gate 1 computes it again. */
const FORGOTTEN = {
  revision: null,
  suspects: [],
  no_suspect: null,
  ownership: null,
  release_window: null,
  explanation: null,
  investigation: null,
  draft: null,
  approved_by: null,
  last_error: null,
} satisfies RunPatch;

const texts: v.GenericSchema<readonly string[]> = v.array(v.string());
const GATE_ONE = { scope: 'gate1', reach: OF_RUN } as const;
const GATE_TWO = { scope: 'gate2', reach: OF_RUN } as const;

/** What reviewers decide at the gates and nobody has to wait for. Approvals: gates/gate-one.ts and gate-two.ts. */
export const GATE_DECISIONS = {
  /** Idempotent. The run is closed. */
  rejectGateOne: runCommand({
    ...GATE_ONE,
    id: 'rejectGateOne',
    at: 'POST /gate1/reject',
    summary: 'Reject at Gate 1',
    input: v.strictObject({ reason: freeText }),
    freeText: ['reason'],
    answer: 'rejection',
    what: 'Rejected',
    problems: ['state_conflict'],
    decide(run, { reason }, { reviewer, now }) {
      const to = nextState(run.state, 'gate1.reject');
      if (run.state === 'rejected') return null;
      if (to === null) throw stateConflict(run, 'Rejecting at Gate 1');
      const details = { from: run.state, to, detail: { reason } };
      return {
        patch: { ...settled(run), state: to },
        entry: decision('gate1.reject', now, reviewer, details),
      };
    },
    result: (): RejectResult => ({ status: 'rejected', state: 'rejected' }),
  }),
  /** The run is closed, or returned to Gate 1. */
  rejectGateTwo: runCommand({
    ...GATE_TWO,
    id: 'rejectGateTwo',
    at: 'POST /gate2/reject',
    summary: 'Reject at Gate 2, or return to Gate 1',
    input: v.strictObject({ reason: freeText, to: v.picklist(['staged_raw', 'rejected']) }),
    freeText: ['reason'],
    answer: 'rejection',
    what: 'Rejected or returned',
    problems: ['state_conflict'],
    decide(run, { reason, to: where }, { reviewer, now }) {
      if (where === 'rejected' && run.state === 'rejected') return null;
      const trigger = where === 'rejected' ? 'gate2.reject' : 'gate2.return';
      const to = nextState(run.state, trigger);
      if (to === null) throw stateConflict(run, 'Rejecting at Gate 2');
      const details = { from: run.state, to, digest: run.draft?.digest ?? null, detail: { reason } };
      const returned = { at: now, by: reviewer.name, reason };
      const links = run.link_back ? { link_back: null } : {};
      const forgotten =
        where === 'rejected' ? {} : { ...FORGOTTEN, ...links, cycle: run.cycle + 1, returned };
      return {
        patch: { ...settled(run), ...forgotten, state: to },
        entry: decision(trigger, now, reviewer, details),
      };
    },
    result: (_run, { to }): RejectResult =>
      to === 'rejected' ? { status: 'rejected', state: to } : { status: 'returned', state: to },
  }),
  /**
   * Undoes a rejection: the run returns to the gate where it was rejected. Rejects with `state_conflict` if the run is not
   * rejected, or if its crash has started a later run.
   */
  reopen: runCommand({
    ...GATE_ONE,
    id: 'reopenRun',
    at: 'POST /reopen',
    summary: 'Undo a rejection: return the run to the gate where it was rejected',
    input: v.strictObject({}),
    answer: 'run',
    what: 'The run, at that gate',
    problems: ['state_conflict'],
    notLatest: laterRun,
    decide(run, _input, { reviewer, now }) {
      // Only a run that was rejected at Gate 2 has a draft.
      const trigger = run.draft === null ? 'gate1.reopen' : 'gate2.reopen';
      const to = nextState(run.state, trigger);
      if (to === null) throw stateConflict(run, 'Undoing a rejection');
      const digest = run.draft?.digest ?? null;
      const again = to === 'staged_raw' ? { cycle: run.cycle + 1, approved_by: null } : {};
      return {
        patch: { state: to, ...again },
        entry: decision(trigger, now, reviewer, { from: run.state, to, digest }),
      };
    },
  }),
  /**
   * Replaces the editable parts of the draft. `digest` is that of the draft that was edited; rejects with `draft_changed` if the
   * draft has another one now.
   */
  editDraft: runCommand({
    ...GATE_TWO,
    id: 'editDraft',
    at: 'PUT /draft',
    summary: 'Edit the draft; the response contains the new digest',
    /** Programs may send back the whole draft that they read: `edited_by`, `reopens` and `trust` are ignored. */
    input: v.strictObject({
      title: v.string(),
      body: v.string(),
      labels: v.optional(texts),
      assignees: v.optional(texts),
      repository: v.optional(v.string()),
      digest: v.optional(v.string()),
      edited_by: v.optional(v.nullable(v.string())),
      reopens: v.optional(v.unknown()),
      trust: v.optional(v.string()),
    }),
    bodyLimit: DRAFT_LIMITS.requestBytes,
    ifMatch: 'The ETag of the draft that was edited',
    answer: 'draft',
    what: 'The edited draft',
    problems: ['state_conflict', 'draft_changed', 'precondition_required'],
    decide(run, { title, body, labels, assignees, repository, digest }, { reviewer, now, sanitiser }) {
      const { state, draft: before } = run;
      const to = nextState(state, 'draft.edit');
      if (to === null || before === null) throw notEditable(run);
      if (digest === undefined)
        throw new CulpritError(
          'precondition_required',
          'Send If-Match with the ETag of the draft you edited.',
        );
      if (repository !== undefined && repository !== before.repository)
        throw malformed('repository', 'is set by the configuration and cannot be edited');
      if (digest !== before.digest) throw draftChanged(before.digest);
      const edit = { title, body, labels: labels ?? before.labels, assignees: assignees ?? before.assignees };
      const draft = editedDraft(before, edit, reviewer.name, sanitiser);
      if (draft.digest === before.digest) return null;
      const details = { from: state, to, digest: draft.digest, detail: { before: before.digest } };
      return {
        patch: { draft, last_error: null },
        entry: decision('draft.edit', now, reviewer, details),
      };
    },
    result(run): Draft {
      if (run.draft === null) throw notEditable(run);
      return run.draft;
    },
  }),
};

function notEditable(run: Run): CulpritError {
  const detail = `The draft cannot be edited while the run is ${run.state}.`;
  return new CulpritError('state_conflict', detail, { members: { state: run.state } });
}
