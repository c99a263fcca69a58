import type { Draft, DraftEdit } from '../domain/draft.js';
import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import { samePerson } from '../domain/person.js';
import { nextState, type Run, type RunRecord } from '../domain/run.js';
import type { GateTwoResult, RejectResult } from '../engine-api.js';
import { CulpritError } from '../errors/error.js';
import { editedDraft } from '../pipeline/edit-draft.js';
import type { Notifications } from '../pipeline/notify.js';
import type { Publishing } from '../pipeline/publish.js';
import type { RunPatch } from '../ports/run-store.js';
import { awaitRun } from '../runs/await-run.js';
import { changeRun } from '../runs/change-run.js';
import type { EngineServices } from '../runs/services.js';
import { checkReason, draftChanged, secondPerson, stateConflict } from './refusals.js';
import { settled } from './settled.js';

/** Cleared when a run returns to `staged_raw`; Gate 1 computes it again. */
const FORGOTTEN = {
  revision: null,
  suspects: [],
  no_suspect: null,
  ownership: null,
  release_window: null,
  explanation: null,
  draft: null,
  approved_by: null,
  last_error: null,
} satisfies RunPatch;

interface GateOneApproval {
  readonly by: string | null;
  readonly cycle: unknown;
}

/** Rejects if the run moved to another cycle after its history was read. */
function checkSecondPerson(approval: GateOneApproval, cycle: number, draft: Draft, reviewer: Reviewer): void {
  if (approval.cycle !== cycle || approval.by === null) {
    throw new CulpritError(
      'version_conflict',
      'Another reviewer has just approved Gate 1. Read the run again.',
    );
  }
  if (samePerson(approval.by, reviewer.name)) throw secondPerson({ opened_by: approval.by });
  if (draft.edited_by !== null && samePerson(draft.edited_by, reviewer.name)) {
    throw secondPerson({ edited_by: draft.edited_by });
  }
}

/** The ports and services that GateTwo uses. */
export type GateTwoParts = Pick<
  EngineServices,
  'runStore' | 'runHistory' | 'statusFeed' | 'publisher' | 'clock' | 'policy' | 'tasks' | 'sanitiser'
> & { readonly publishing: Publishing; readonly notifications: Pick<Notifications, 'changed'> };

/** Gate 2: a reviewer signs one exact text, and exactly that text is published. */
export class GateTwo {
  constructor(private readonly parts: GateTwoParts) {}

  /** The digest is read and the run moved to `publishing` in one compare-and-set. Idempotent within a cycle. */
  async approve(runId: string, reviewer: Reviewer, digest?: string): Promise<GateTwoResult> {
    const { cycle } = await this.start(runId, reviewer, digest);
    return this.result(runId, cycle);
  }

  /** Approves, and does not wait for the issue. */
  async start(runId: string, reviewer: Reviewer, digest?: string): Promise<Run> {
    if (digest === undefined && this.parts.policy.requireBoundApproval) {
      throw new CulpritError(
        'precondition_required',
        'Send If-Match with the digest of the draft you have read.',
      );
    }
    const approval = this.parts.policy.requireSecondPerson ? await this.gateOneApproval(runId) : null;
    const signed = await changeRun(this.parts.runStore, this.parts.clock, runId, (record, now) => {
      const { run } = record;
      const standing = signedDigest(record);
      if (standing === null || run.draft === null) throw stateConflict(run, 'Gate 2');
      if (digest !== undefined && digest !== standing) throw draftChanged(standing);
      const to = nextState(run.state, 'gate2.approve');
      if (to === null) return { result: null };
      if (approval !== null) checkSecondPerson(approval, run.cycle, run.draft, reviewer);
      if (this.parts.publisher === null) {
        throw new CulpritError(
          'no_publisher',
          'Add a publisher connector, such as outbox or github, and try again.',
        );
      }
      const entry = decision('gate2.approve', now, reviewer, {
        from: run.state,
        to,
        digest: standing,
        detail: { bound: digest !== undefined, signed: standing },
      });
      const intent = this.parts.publishing.intentOf(record, run.draft, reviewer.name, now);
      const lease = this.parts.publishing.lease(record);
      return {
        result: null,
        change: { patch: { ...settled(run), state: to, last_error: null }, intent, lease, history: [entry] },
      };
    });
    if (signed.changed) {
      this.parts.publishing.start(signed.record);
      this.parts.notifications.changed(runId);
    }
    return signed.record.run;
  }

  /** The reviewer who approved Gate 1 in the latest cycle; recorded in the history before the draft can be signed. */
  private async gateOneApproval(runId: string): Promise<GateOneApproval> {
    const entries = await this.parts.runHistory.history(runId);
    const entry = entries.findLast(({ name }) => name === 'gate1.approve');
    return { by: entry?.by ?? null, cycle: entry?.detail.cycle ?? null };
  }

  async reject(
    runId: string,
    reviewer: Reviewer,
    why: string,
    where: 'staged_raw' | 'rejected',
  ): Promise<RejectResult> {
    const reason = checkReason(why);
    const trigger = where === 'rejected' ? 'gate2.reject' : 'gate2.return';
    await changeRun(this.parts.runStore, this.parts.clock, runId, ({ run }, now) => {
      if (where === 'rejected' && run.state === 'rejected') return { result: null };
      const to = nextState(run.state, trigger);
      if (to === null) throw stateConflict(run, 'Rejecting at Gate 2');
      const details = { from: run.state, to, digest: run.draft?.digest ?? null, detail: { reason } };
      const returned = { at: now, by: reviewer.name, reason };
      const links = run.link_back ? { link_back: null } : {};
      const forgotten =
        where === 'rejected' ? {} : { ...FORGOTTEN, ...links, cycle: run.cycle + 1, returned };
      const patch: RunPatch = { ...settled(run), ...forgotten, state: to };
      return { result: null, change: { patch, history: [decision(trigger, now, reviewer, details)] } };
    });
    this.parts.notifications.changed(runId);
    return where === 'rejected'
      ? { status: 'rejected', state: 'rejected' }
      : { status: 'returned', state: 'staged_raw' };
  }

  /** `ifMatch` is the digest of the draft that was edited. Rejects with `draft_changed` if the draft has another one now. */
  async edit(runId: string, edit: DraftEdit, reviewer: Reviewer, ifMatch: string): Promise<Draft> {
    const { result, changed } = await changeRun(
      this.parts.runStore,
      this.parts.clock,
      runId,
      ({ run }, now) => {
        const to = nextState(run.state, 'draft.edit');
        if (to === null || run.draft === null) throw stateConflict(run, 'Editing the draft');
        if (ifMatch !== run.draft.digest) throw draftChanged(run.draft.digest);
        const draft = editedDraft(run.draft, edit, reviewer.name, this.parts.sanitiser);
        if (draft.digest === run.draft.digest) return { result: run.draft };
        const details = { from: run.state, to, digest: draft.digest, detail: { before: run.draft.digest } };
        const entry = decision('draft.edit', now, reviewer, details);
        return { result: draft, change: { patch: { draft, last_error: null }, history: [entry] } };
      },
    );
    if (changed) this.parts.notifications.changed(runId);
    return result;
  }

  private async result(runId: string, cycle: number): Promise<GateTwoResult> {
    const { runStore: store, statusFeed: feed } = this.parts;
    const parts = { store, feed, clock: this.parts.clock, signal: this.parts.tasks.signal };
    const done = ({ run }: RunRecord) => run.state !== 'publishing';
    const record = await awaitRun(parts, runId, done, this.parts.policy.publishWaitMs);
    if (record === null) return { status: 'publishing', state: 'publishing' };
    if (record.run.publication) return { status: 'published', issue_url: record.run.publication.issue_url };
    throw refused(record.run, cycle);
  }
}

/** The signed draft, or the one that may be signed now; `null` outside Gate 2. */
function signedDigest({ run, intent }: RunRecord): string | null {
  switch (run.state) {
    case 'staged_draft':
      return run.draft?.digest ?? null;
    case 'publishing':
    case 'published':
      return intent?.digest ?? run.publication?.digest ?? null;
    case 'staged_raw':
    case 'analyzing':
    case 'rejected':
    case 'snoozed':
    case 'merged':
      return null;
  }
}

function refused(run: Run, cycle: number): CulpritError {
  if (run.cycle === cycle && run.last_error) {
    const { code, detail, retryable } = run.last_error;
    return new CulpritError(code as CulpritError['code'], detail, { retryable });
  }
  return stateConflict(run, 'Gate 2');
}
