import { inject, injectable } from '../di/inject.js';
import type { Draft } from '../domain/draft.js';
import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import { samePerson } from '../domain/person.js';
import { nextState, type Run, type RunRecord } from '../domain/run.js';
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
/** What the history says of the latest cycle. */
interface DoneBefore {
  /** Who approved Gate 1. */
  readonly by: string | null;
  readonly cycle: unknown;
  /** Everyone who edited the draft or chose its suspects; for a token, the person who made it. */
  readonly editors: readonly string[];
}

/** Entries of those who decided what the draft says. */
const SHAPING: ReadonlySet<string> = new Set(['draft.edit', 'suspects.choose']);

/** Rejects if the run moved to another cycle after its history was read. */
function checkSecondPerson(
  before: DoneBefore,
  { cycle, suspects }: Run,
  draft: Draft,
  reviewer: Reviewer,
): void {
  if (before.cycle !== cycle || before.by === null) {
    throw new CulpritError(
      'version_conflict',
      'Another reviewer has just approved Gate 1. Read the run again.',
    );
  }
  if (samePerson(before.by, reviewer.name)) throw secondPerson({ opened_by: before.by });
  // The draft's own editor may be newer than the history that was read.
  const finder = suspects[0]?.found_by?.by;
  const author = finder?.kind === 'agent' ? finder.person : null;
  const own = [draft.edited_by, author, ...before.editors].find(
    (by) => by !== null && samePerson(by, reviewer.name),
  );
  if (own) throw secondPerson({ edited_by: own });
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
    const before = this.policy.requireSecondPerson ? await this.doneBefore(runId) : null;
    const signed = await this.runs.change(runId, (record, now) => {
      const { run } = record;
      const standing = signedDigest(record);
      if (standing === null || run.draft === null) throw stateConflict(run, 'Gate 2');
      if (digest !== undefined && digest !== standing) throw draftChanged(standing);
      const to = nextState(run.state, 'gate2.approve');
      if (to === null) return { result: null };
      if (before !== null) checkSecondPerson(before, run, run.draft, reviewer);
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

  /** Who did what in the latest cycle; recorded in the history before the draft can be signed. */
  private async doneBefore(runId: string): Promise<DoneBefore> {
    const entries = await this.runHistory.history(runId);
    const start = entries.findLastIndex(({ name }) => name === 'gate1.approve');
    const edits = entries.slice(start + 1).filter(({ name }) => SHAPING.has(name));
    const editors = edits.flatMap(({ by }) => by ?? []);
    return { by: entries[start]?.by ?? null, cycle: entries[start]?.detail.cycle ?? null, editors };
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
