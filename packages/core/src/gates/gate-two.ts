import { inject, injectable } from '../di/inject.js';
import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import { nextState, type Run, type RunRecord } from '../domain/run.js';
import { type DoneBefore, doneBefore, involvementOf } from '../domain/second-person.js';
import { EnginePolicy } from '../engine-api.js';
import type { GateTwoResult } from '../engine-results.js';
import { CulpritError } from '../errors/error.js';
import { draftChanged, secondPerson, stateConflict } from '../operations/refusals.js';
import { settled } from '../operations/settled.js';
import { Notifications } from '../pipeline/notify.js';
import { Publishing } from '../pipeline/publish.js';
import { Publisher } from '../ports/publisher.js';
import { RunHistory } from '../ports/run-history.js';
import { storedError } from '../runs/run-error.js';
import { Runs } from '../runs/runs.js';

/** What binds an approval to what was shown. */
export interface Signed {
  readonly digest?: string | undefined;
}

/** Rejects if the run moved to another cycle after its history was read. */
function checkSecondPerson(before: DoneBefore, run: Run, reviewer: Reviewer): void {
  if (before.cycle !== run.cycle || before.by === null) {
    throw new CulpritError(
      'version_conflict',
      'Another reviewer has just approved Gate 1. Read the run again.',
    );
  }
  const involvement = involvementOf(reviewer.name, run, before);
  if (involvement !== null) throw secondPerson(involvement);
}

/** Gate 2: a reviewer signs one exact text, and exactly that text is published. */
@injectable()
export class GateTwo {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(RunHistory) private readonly runHistory: RunHistory,
    @inject(Publisher) private readonly publisher: Publisher | null,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Publishing) private readonly publishing: Publishing,
    @inject(Notifications) private readonly notifications: Notifications,
  ) {}

  /** The digest is read and the run moved to `publishing` in one compare-and-set. Idempotent within a cycle. */
  async approve(runId: string, reviewer: Reviewer, signed?: Signed): Promise<GateTwoResult> {
    const { cycle } = await this.start(runId, reviewer, signed);
    return this.result(runId, cycle);
  }

  /** Approves, and does not wait for the issue. */
  async start(runId: string, reviewer: Reviewer, { digest }: Signed = {}): Promise<Run> {
    if (digest === undefined && this.policy.requireBoundApproval) {
      throw new CulpritError(
        'precondition_required',
        'Send If-Match with the digest of the draft you have read.',
      );
    }
    // Who opened and who shaped a draft is in the history before it can be signed.
    const before = this.policy.requireSecondPerson ? doneBefore(await this.runHistory.history(runId)) : null;
    const signed = await this.runs.change(runId, (record, now) => {
      const { run } = record;
      const standing = signedDigest(record);
      if (standing === null || run.draft === null) throw stateConflict(run, 'Gate 2');
      if (digest !== undefined && digest !== standing) throw draftChanged(standing);
      const to = nextState(run.state, 'gate2.approve');
      if (to === null) return { result: null };
      if (before !== null) checkSecondPerson(before, run, reviewer);
      if (this.publisher === null) {
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
      const intent = this.publishing.intentOf(record, run.draft, reviewer.name, now);
      const lease = this.publishing.lease(record);
      return {
        result: null,
        change: { patch: { ...settled(run), state: to, last_error: null }, intent, lease, history: [entry] },
      };
    });
    if (signed.changed) {
      this.publishing.start(signed.record);
      this.notifications.changed(runId);
    }
    return signed.record.run;
  }

  private async result(runId: string, cycle: number): Promise<GateTwoResult> {
    const done = ({ run }: RunRecord) => run.state !== 'publishing';
    const record = await this.runs.wait(runId, done, this.policy.publishWaitMs);
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
  return run.cycle === cycle && run.last_error ? storedError(run.last_error) : stateConflict(run, 'Gate 2');
}
