import { step } from '../domain/entries.js';
import { type FollowUp, NO_PROGRESS } from '../domain/resolution.js';
import type { Lease, RunRecord } from '../domain/run.js';
import { CulpritError } from '../errors/error.js';
import type { PublishedIssue } from '../ports/publisher.js';
import { retryDelayMs } from '../resilience/retry-delay.js';
import { timeLimit } from '../resilience/time-limit.js';
import { changeRun, getRun } from '../runs/change-run.js';
import { holds, takeLease } from '../runs/lease.js';
import type { EngineServices } from '../runs/services.js';
import { commentOf, followUpMarker } from './follow-up-effect.js';
import {
  asCulpritError,
  type Change,
  checkSystem,
  detailOf,
  type Pending,
  patchOf,
  pendingAs,
  pendingIn,
  type Round,
  runError,
  SLOTS,
  type Slot,
  type Target,
  targetOf,
} from './follow-up-round.js';
import { CLOCKS_MS } from './issue.js';
import { RECORDED } from './issue-status.js';
import type { Notifications } from './notify.js';
import { pauseUntil } from './pause-until.js';
import { CALL_MS, LEASE_MS, LONGEST_WAIT_MS, RETRY_DELAYS, searchPause } from './publish-pauses.js';
import { whyNotReopened } from './reopen.js';

/** The ports and services that FollowUps uses. */
export type FollowUpsParts = Pick<
  EngineServices,
  'runStore' | 'publisher' | 'clock' | 'policy' | 'tasks' | 'install' | 'engineId' | 'logger'
> & { readonly notifications: Pick<Notifications, 'changed'> };

/**
 * Does to an issue what was decided about its run: at most one comment for each decision, then the issue is opened or closed; and links a
 * regression's new issue from the earlier one. As in publishing, each attempt is recorded before it is made, and the comments are searched for its marker first.
 */
export class FollowUps {
  constructor(private readonly parts: FollowUpsParts) {}

  /** The changes that this engine is making now: a run and a slot. */
  private readonly loops = new Set<string>();
  /** Runs for which this engine is changing an issue now. */
  readonly active = { has: (runId: string) => SLOTS.some((slot) => this.loops.has(loopOf(runId, slot))) };

  /** The run's lease while its issue is changed; another engine's stays, because that engine reads the run again. */
  lease(record: RunRecord): Lease {
    const { lease } = record;
    const now = this.parts.clock.now();
    if (lease !== null && Date.parse(lease.expires_at) > now) return lease;
    return takeLease(record, this.parts.engineId, now + LEASE_MS);
  }

  start({ run, lease }: RunRecord): void {
    if (lease?.owner !== this.parts.engineId) return;
    for (const { slot } of pendingIn(run)) {
      const loop = loopOf(run.run_id, slot);
      if (this.loops.has(loop)) continue;
      this.loops.add(loop);
      this.parts.tasks.start('issue change', (signal) =>
        this.follow(run.run_id, slot, lease, signal).finally(() => this.loops.delete(loop)),
      );
    }
  }

  /** Resumes abandoned changes. False: the run has none. */
  async resume(runId: string, lost: (record: RunRecord) => boolean): Promise<boolean> {
    const record = await this.parts.runStore.get(runId);
    if (record === null || pendingIn(record.run).length === 0) return false;
    const { record: taken, changed } = await changeRun(
      this.parts.runStore,
      this.parts.clock,
      runId,
      (found, now) => {
        if (pendingIn(found.run).length === 0 || !lost(found)) return { result: null };
        const lease = takeLease(found, this.parts.engineId, this.parts.clock.now() + LEASE_MS);
        const history = [step('issue_change.resumed', now, {})];
        return { result: null, change: { patch: {}, lease, history, quiet: true } };
      },
    );
    if (changed) this.start(taken);
    return true;
  }

  private async follow(runId: string, slot: Slot, lease: Lease, signal: AbortSignal): Promise<void> {
    for (let round: Round = 'again', waited: string | null = null; round === 'again'; ) {
      const record = await getRun(this.parts.runStore, runId);
      const pending = pendingAs(record.run, slot);
      if (pending === null || !holds(record, lease)) return;
      const { not_before } = pending.change.progress;
      const ms = waited === not_before ? 0 : pauseUntil(not_before, this.parts.clock.now());
      waited = not_before;
      if (ms > 0) await this.parts.clock.sleep(ms, signal).catch(() => {});
      if (signal.aborted) return;
      // A later decision may have come in the meantime.
      if (ms > 0) continue;
      round = await this.round(pending, lease);
    }
  }

  private async round(pending: Pending, lease: Lease): Promise<Round> {
    const making: Making = { ...pending, lease };
    const target = targetOf(pending, this.parts.publisher);
    if (target === null) {
      const detail = 'The publisher of this run cannot change issues. Change the issue by hand.';
      return this.fail(making, new CulpritError('publish_refused', detail));
    }
    try {
      const { comment, comment_url } = pending.change;
      if (comment !== null && comment_url === null) return await this.comment(making, target, comment);
      return await this.finish(making, target);
    } catch (error) {
      const failure = asCulpritError(error);
      if (failure.retryable) return this.retry(making, failure, {});
      return this.fail(making, failure);
    }
  }

  /** One comment: found by its marker, or created once the listing can no longer hide an earlier attempt. */
  private async comment(making: Making, target: Target, text: string): Promise<Round> {
    const { run, slot, change } = making;
    const { repository, number, reopening, publisher } = target;
    const marker = followUpMarker(this.parts.install.key, run, change, slot);
    const since = new Date(Date.parse(change.at) - CLOCKS_MS).toISOString();
    const find = (signal: AbortSignal) => reopening.find(repository, number, marker, since, signal);
    const found = await this.asked(target, find);
    if (found !== null) return this.note(making, { comment_url: found.url }, 'issue_change.commented');
    const { looks, ambiguous, attempts } = change.progress;
    const pause =
      ambiguous && publisher.listsAtOnce !== true
        ? searchPause(looks, this.parts.policy.publishSearchMs)
        : undefined;
    if (pause !== undefined)
      return this.progress(making, { looks: looks + 1, not_before: this.after(pause) });
    await checkSystem(target);
    const limit = timeLimit(CALL_MS);
    const trying = { attempts: attempts + 1, ambiguous: true, looks: 0, not_before: null };
    // A later decision may have replaced this one while the comments were searched.
    const written = await this.written(making, this.progressed(making, trying, 'issue_change.attempt'));
    if (!written.changed) return written.round;
    try {
      const body = commentOf(run, text, marker, change.by);
      const made = await reopening.comment(repository, number, body, limit);
      return this.note(making, { comment_url: made.url }, 'issue_change.commented');
    } catch (error) {
      const failure = asCulpritError(error);
      if (failure.code === 'publish_wait') return this.retry(making, failure, { ambiguous: false });
      if (failure.retryable) return this.retry(making, failure, {});
      // Nothing was created by this attempt.
      return this.fail(making, await this.why(target, failure), change.progress);
    }
  }

  /** Opens or closes the issue, which has no effect if it is in that state. */
  private async finish(making: Making, target: Target): Promise<Round> {
    const { repository, number, reopening } = target;
    const { set } = making.change;
    const act = set === 'closed' ? reopening.close?.bind(reopening) : set && reopening.open.bind(reopening);
    if (act) {
      // The comment may be older than a move to another system.
      await checkSystem(target);
      await this.asked(target, (signal) => act(repository, number, signal));
    }
    const now = new Date(this.parts.clock.now()).toISOString();
    const own = { detail: { own: true } };
    const status = set === null ? [] : [set === 'closed' ? `${RECORDED}completed` : `${RECORDED}open`];
    const done = { state: 'done', done_at: now, error: null, progress: NO_PROGRESS } as const;
    return this.change(making, (_, at) => ({
      change: done,
      lease: null,
      history: [...status.map((name) => step(name, at, own)), entryOf(making, 'issue_change.done', at)],
      tell: true,
    }));
  }

  /** A call that only reads, or may be repeated: a refusal says why. */
  private async asked<Answer>(
    target: Target,
    call: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await call(timeLimit(CALL_MS));
    } catch (error) {
      throw await this.why(target, asCulpritError(error));
    }
  }

  /** The publisher speaks of reopening; here the issue may have been meant to be closed. */
  private async why(target: Target, error: CulpritError): Promise<CulpritError> {
    if (error.code !== 'reopen_refused') return error;
    const { repository, number, url, publisher } = target;
    const issue = await publisher
      .read(repository, number, timeLimit(CALL_MS))
      .catch((): PublishedIssue | null => null);
    const why = whyNotReopened(issue, { url }) ?? 'its system refuses';
    const detail = `Issue ${number} of ${repository} cannot be changed: ${why}. Change it by hand, or mend that and try again.`;
    return new CulpritError('publish_refused', detail);
  }

  private retry(making: Making, error: CulpritError, changes: Partial<FollowUp['progress']>): Promise<Round> {
    const failures = making.change.progress.failures + 1;
    const retryAfterMs = Math.min(error.retryAfterMs ?? 0, LONGEST_WAIT_MS);
    const not_before = this.after(retryDelayMs(RETRY_DELAYS, failures, { retryAfterMs }));
    const name = failures === 1 ? 'issue_change.retry' : null;
    return this.progress(making, { ...changes, failures, not_before }, name, error);
  }

  private after(ms: number): string {
    return new Date(this.parts.clock.now() + ms).toISOString();
  }

  private progress(
    making: Making,
    changes: Partial<FollowUp['progress']>,
    name: string | null = null,
    error: CulpritError | null = null,
  ): Promise<Round> {
    return this.change(making, this.progressed(making, changes, name, error));
  }

  private progressed(
    making: Making,
    changes: Partial<FollowUp['progress']>,
    name: string | null,
    error: CulpritError | null = null,
  ): Change {
    return ({ progress }, at) => ({
      change: { progress: { ...progress, ...changes }, error: error && runError(error) },
      lease: 'longer',
      history: name === null ? [] : [entryOf(making, name, at, error)],
      tell: false,
    });
  }

  private note(making: Making, changes: Partial<FollowUp>, name: string): Promise<Round> {
    return this.change(making, (_, at) => ({
      change: { ...changes, progress: NO_PROGRESS, error: null },
      lease: 'longer',
      history: [entryOf(making, name, at)],
      tell: false,
    }));
  }

  private fail(making: Making, error: CulpritError, progress?: FollowUp['progress']): Promise<Round> {
    this.parts.logger.warn({ run_id: making.run.run_id, err: error }, 'an issue could not be changed');
    return this.change(making, (_, at) => ({
      change: { state: 'failed', error: runError(error), ...(progress && { progress }) },
      lease: null,
      history: [entryOf(making, 'issue_change.failed', at, error)],
      tell: true,
    }));
  }

  private async change(making: Making, make: Change): Promise<Round> {
    return (await this.written(making, make)).round;
  }

  /** Changes what is pending unless another engine took over, or a later decision replaced it: then nothing is `changed`. */
  private async written(
    { run: { run_id }, slot, change: { number }, lease }: Making,
    make: Change,
  ): Promise<{ readonly round: Round; readonly changed: boolean }> {
    const { runStore, clock } = this.parts;
    const { result, changed } = await changeRun(runStore, clock, run_id, (record, now) => {
      const pending = pendingAs(record.run, slot);
      if (pending === null || !holds(record, lease))
        return { result: { tell: false, round: 'done' as const } };
      if (pending.change.number !== number) return { result: { tell: false, round: 'again' as const } };
      const { change, lease: next, history, tell } = make(pending.change, now);
      const patch = patchOf({ ...pending, change: { ...pending.change, ...change } });
      const round = next === null ? ('done' as const) : ('again' as const);
      const free = next === null && pendingIn({ ...record.run, ...patch }).length === 0;
      const kept =
        free || record.lease === null ? null : { ...record.lease, expires_at: this.after(LEASE_MS) };
      return { result: { tell, round }, change: { patch, lease: kept, history, quiet: true } };
    });
    if (changed && result.tell) this.parts.notifications.changed(run_id);
    return { round: result.round, changed };
  }
}

/** A pending change that this engine makes. */
interface Making extends Pending {
  readonly lease: Lease;
}

function loopOf(runId: string, slot: Slot): string {
  return `${slot} ${runId}`;
}

function entryOf(making: Making, name: string, at: string, error: CulpritError | null = null) {
  return step(name, at, { error: error && runError(error), detail: detailOf(making) });
}
