import type { Draft } from '../domain/draft.js';
import { step } from '../domain/entries.js';
import { NO_PROGRESS } from '../domain/resolution.js';
import type { Lease, PublishIntent, Run, RunRecord, SignedComment } from '../domain/run.js';
import { nextState } from '../domain/run.js';
import type { RunError } from '../domain/run-error.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import type { Publisher } from '../ports/publisher.js';
import type { RunChange, RunPatch } from '../ports/run-store.js';
import { retryDelayMs } from '../resilience/retry-delay.js';
import { timeLimit } from '../resilience/time-limit.js';
import { changeRun, getRun } from '../runs/change-run.js';
import { holds, takeLease } from '../runs/lease.js';
import type { EngineServices } from '../runs/services.js';
import { publisherOf } from '../runs/system-of.js';
import { divergenceOf } from './divergence.js';
import { hasMarker } from './draft/trailer.js';
import type { FollowUps } from './follow-up.js';
import { linkingBack } from './follow-up-effect.js';
import { issueOf, markerOf, searchSince } from './issue.js';
import type { Notifications } from './notify.js';
import { pauseUntil } from './pause-until.js';
import { pendingFollowUps } from './pending-follow-ups.js';
import { CALL_MS, LEASE_MS, LONGEST_WAIT_MS, RETRY_DELAYS, searchPause } from './publish-pauses.js';
import { type Created, type Destination, destinationOf } from './reopen.js';

type Signed = RunRecord & { readonly intent: PublishIntent; readonly run: Run & { readonly draft: Draft } };
/** `done`: nothing more to do. Otherwise the next round reads the record again. */
type Round = 'again' | 'done';

/** The ports and services that Publishing uses. */
export type PublishingParts = Pick<
  EngineServices,
  | 'runStore'
  | 'runHistory'
  | 'publisher'
  | 'clock'
  | 'policy'
  | 'tasks'
  | 'install'
  | 'engineId'
  | 'logger'
  | 'values'
> & {
  readonly notifications: Pick<Notifications, 'changed'>;
  readonly followUps: Pick<FollowUps, 'start'>;
};

/**
 * Turns a signed draft into exactly one issue, or into one comment that reopens an issue. Every round reads the listing
 * before it may create, and records each attempt before making it. An inconclusive response leaves the run `publishing`.
 */
export class Publishing {
  constructor(private readonly parts: PublishingParts) {}

  /** Runs that this engine is publishing now. */
  readonly active = new Set<string>();

  intentOf({ run, sealed }: RunRecord, draft: Draft, reviewer: string, now: string): PublishIntent {
    return {
      ...(sealed === undefined ? {} : { audit: sealed.mac }),
      digest: draft.digest,
      marker: markerOf(this.parts.install.key, run),
      reviewer,
      named: true,
      signed_at: now,
      ...NO_PROGRESS,
    };
  }

  lease(record: RunRecord): Lease {
    return takeLease(record, this.parts.engineId, this.parts.clock.now() + LEASE_MS);
  }

  start(record: RunRecord): void {
    const { run_id } = record.run;
    this.active.add(run_id);
    this.parts.tasks.start('publication', (signal) =>
      this.publish(run_id, record.lease, signal).finally(() => this.active.delete(run_id)),
    );
  }

  /** Resumes an abandoned publication. */
  async resume(runId: string, lost: (record: RunRecord) => boolean): Promise<void> {
    const taken = await changeRun(this.parts.runStore, this.parts.clock, runId, (record, now) => {
      if (record.run.state !== 'publishing' || !lost(record)) return { result: null };
      const change = { patch: {}, lease: this.lease(record), history: [step('publish.resumed', now, {})] };
      return { result: null, change };
    });
    if (taken.changed) this.start(taken.record);
  }

  private async publish(runId: string, lease: Lease | null, signal: AbortSignal): Promise<void> {
    const { publisher, runStore } = this.parts;
    if (publisher === null) return;
    for (let round: Round = 'again'; round === 'again'; ) {
      const record = await getRun(runStore, runId);
      if (!isSigned(record) || !holds(record, lease)) return;
      if (!(await this.pause(record.intent, signal))) return;
      round = await this.round(record, publisher);
    }
  }

  /** Waits until the next call is allowed. False: the engine is closing. */
  private async pause({ not_before }: PublishIntent, signal: AbortSignal): Promise<boolean> {
    const ms = pauseUntil(not_before, this.parts.clock.now());
    if (ms > 0) await this.parts.clock.sleep(ms, signal).catch(() => {});
    return !signal.aborted;
  }

  private async round(record: Signed, all: Publisher): Promise<Round> {
    const { intent, run } = record;
    const publisher = publisherOf(all, run.draft.repository);
    const to = destinationOf(publisher, issueOf(run, intent));
    if (intent.comment !== undefined) return this.open(record, intent.comment, to);
    const since = await searchSince(run, this.parts.runHistory, this.parts.install.since);
    let found: Created | null;
    try {
      found = await to.find(since, timeLimit(CALL_MS));
    } catch (error) {
      return this.lookFailed(record, asCulpritError(error));
    }
    if (found && hasMarker(found.body, intent.marker)) return this.created(record, found, 'publish.found');
    const searched = publisher.listsAtOnce === true || !intent.ambiguous;
    const pause = searched ? undefined : searchPause(intent.looks, this.parts.policy.publishSearchMs);
    if (pause === undefined) return this.create(record, to);
    return this.note(
      record,
      { looks: intent.looks + 1, not_before: this.after(pause), failures: 0 },
      null,
      'publish.look',
    );
  }

  private async create(before: Signed, to: Destination): Promise<Round> {
    try {
      await to.check(timeLimit(CALL_MS));
    } catch (error) {
      return this.lookFailed(before, asCulpritError(error));
    }
    // From before the attempt is recorded: another core that takes over meanwhile creates the issue itself, later than this.
    const limit = timeLimit(CALL_MS);
    const posting = { attempts: before.intent.attempts + 1, ambiguous: true, looks: 0, not_before: null };
    if ((await this.note(before, posting, null, 'publish.attempt')) === 'done') return 'done';
    const record = { ...before, intent: { ...before.intent, ...posting } };
    let issue: Created;
    try {
      issue = await to.create(limit);
    } catch (error) {
      return this.createFailed(record, asCulpritError(error));
    }
    return this.created(record, issue, 'publish.created');
  }

  /** A comment is recorded first: however often opening the issue fails, there is no second one. */
  private created(record: Signed, issue: Created, name: string): Promise<Round> {
    const { comment_url: url, created_at } = issue;
    if (url === undefined) return this.finish(record, issue, name);
    const comment = { url, created_at, divergence: divergenceOf(issueOf(record.run, record.intent), issue) };
    return this.note(record, { comment, failures: 0, not_before: null }, null, name);
  }

  private async open(record: Signed, comment: SignedComment, to: Destination): Promise<Round> {
    try {
      return this.finish(record, await to.open(comment, timeLimit(CALL_MS)), 'publish.done');
    } catch (error) {
      return this.retry(record, asCulpritError(error), 'publish.open', {});
    }
  }

  /** Nothing was sent. A permanent refusal returns to the reviewer if no earlier attempt can have succeeded; otherwise retry. */
  private lookFailed(record: Signed, error: CulpritError): Promise<Round> {
    const gone = error.code === 'reopen_refused';
    if (gone || (!record.intent.ambiguous && !error.retryable))
      return this.refuse(record, error, 'publish.look');
    return this.retry(record, error, 'publish.look', {});
  }

  /** Every listing that could show an earlier attempt has been read, so a refusal is final. */
  private createFailed(record: Signed, error: CulpritError): Promise<Round> {
    switch (error.code) {
      case 'publish_refused':
      case 'reopen_refused':
        return this.refuse(record, error, 'publish.refused');
      case 'publish_wait':
        return this.retry(record, error, 'publish.wait', { ambiguous: false });
      default:
        return this.retry(record, error, 'publish.ambiguous', {});
    }
  }

  private retry(
    record: Signed,
    error: CulpritError,
    name: string,
    changes: Partial<PublishIntent>,
  ): Promise<Round> {
    const failures = record.intent.failures + 1;
    const retryAfterMs = Math.min(error.retryAfterMs ?? 0, LONGEST_WAIT_MS);
    const not_before = this.after(retryDelayMs(RETRY_DELAYS, failures, { retryAfterMs }));
    return this.note(record, { ...changes, failures, not_before }, error, name);
  }

  private after(ms: number): string {
    return new Date(this.parts.clock.now() + ms).toISOString();
  }

  /** Stores the publication's progress; extends the lease without a new token. */
  private async note(
    before: Signed,
    changes: Partial<PublishIntent>,
    error: CulpritError | null,
    name: string,
  ): Promise<Round> {
    const { changed } = await this.change(before, (record, now) => ({
      patch: { last_error: error ? runError(error) : record.run.last_error },
      intent: { ...record.intent, ...changes },
      lease: record.lease && { ...record.lease, expires_at: this.after(LEASE_MS) },
      history: [
        step(name, now, {
          error: error && runError(error),
          detail: { attempts: changes.attempts ?? record.intent.attempts },
        }),
      ],
    }));
    return changed ? 'again' : 'done';
  }

  private async finish(before: Signed, issue: Created, name: string): Promise<Round> {
    const { values, clock, logger, notifications, followUps } = this.parts;
    if (before.run.link_back) await pendingFollowUps(values, clock).add(before.run.run_id);
    const { changed, record } = await this.change(before, ({ run, intent, lease }, now) => {
      const to = nextState(run.state, 'publish.done') ?? run.state;
      const publication = {
        issue_url: issue.url,
        number: issue.number,
        ...(issue.comment_url === undefined ? {} : { comment_url: issue.comment_url }),
        published_at: issue.created_at,
        digest: intent.digest,
        divergence: divergenceOf(issueOf(run, intent), issue),
      };
      const linked = linkingBack(run, publication, intent, now);
      const patch: RunPatch = { state: to, publication, last_error: null, ...linked };
      const entry = step(name, now, {
        from: run.state,
        to,
        digest: intent.digest,
        detail: { number: issue.number },
      });
      return {
        patch,
        lease: linked && lease ? { ...lease, expires_at: this.after(LEASE_MS) } : null,
        intent: { ...intent, ambiguous: false, not_before: null },
        history: [entry],
      };
    });
    if (changed) {
      logger.info({ run_id: record.run.run_id, issue: issue.number }, 'issue published');
      followUps.start(record);
      notifications.changed(before.run.run_id);
    }
    return 'done';
  }

  private async refuse(before: Signed, refusal: CulpritError, name: string): Promise<Round> {
    const error = runError(refusal);
    await this.change(before, ({ run }, now) => {
      const to = nextState(run.state, 'publish.refused') ?? run.state;
      const entry = step(name, now, { from: run.state, to, error });
      return { patch: { state: to, last_error: error }, intent: null, lease: null, history: [entry] };
    });
    this.parts.notifications.changed(before.run.run_id);
    return 'done';
  }

  /** Changes the run unless another engine took over or finished the publication. */
  private change(
    before: Signed,
    make: (record: Signed, now: string) => Omit<RunChange, 'run_id' | 'version' | 'now'>,
  ) {
    return changeRun(this.parts.runStore, this.parts.clock, before.run.run_id, (record, now) => {
      if (!isSigned(record) || !holds(record, before.lease)) return { result: null };
      return { result: null, change: make(record, now) };
    });
  }
}

function isSigned(record: RunRecord): record is Signed {
  return record.run.state === 'publishing' && record.intent !== null && record.run.draft !== null;
}

function runError({ code, message, retryable }: CulpritError): RunError {
  return { code, detail: message, retryable };
}

/** A publisher that fails in an unknown way may have created the issue. */
function asCulpritError(error: unknown): CulpritError {
  if (isCulpritError(error)) return error;
  const detail = error instanceof Error ? error.message : 'no response';
  return new CulpritError('publish_ambiguous', `The publisher failed: ${detail}`, { cause: error });
}
