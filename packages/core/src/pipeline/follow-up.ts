import { step } from '../domain/entries.js';
import { type FollowUp, NO_PROGRESS } from '../domain/resolution.js';
import type { Lease, RunRecord } from '../domain/run.js';
import { CulpritError } from '../errors/error.js';
import type { PublishedIssue } from '../ports/publisher.js';
import type { RunPatch } from '../ports/run-store.js';
import { retryDelayMs } from '../resilience/retry-delay.js';
import { timeLimit } from '../resilience/time-limit.js';
import { changeRun, getRun } from '../runs/change-run.js';
import { holds, takeLease } from '../runs/lease.js';
import type { EngineServices } from '../runs/services.js';
import { publisherOf } from '../runs/system-of.js';
import { commentOf, followUpMarker } from './follow-up-effect.js';
import {
  asCulpritError,
  type Change,
  type Following,
  isFollowing,
  type Round,
  runError,
  type Target,
} from './follow-up-round.js';
import { CLOCKS_MS } from './issue.js';
import { RECORDED } from './issue-status.js';
import type { Notifications } from './notify.js';
import { CALL_MS, LEASE_MS, LONGEST_WAIT_MS, RETRY_DELAYS, searchPause } from './publish.js';
import { whyNotReopened } from './reopen.js';

/** The ports and services that FollowUps uses. */
export type FollowUpsParts = Pick<
  EngineServices,
  'runStore' | 'publisher' | 'clock' | 'policy' | 'tasks' | 'install' | 'engineId' | 'logger'
> & { readonly notifications: Pick<Notifications, 'changed'> };

/**
 * Does to an issue what was decided about its run: at most one comment for each decision, then the issue is opened or closed. As
 * in publishing, each attempt is recorded before it is made, and the comments are searched for its marker first.
 */
export class FollowUps {
  constructor(private readonly parts: FollowUpsParts) {}

  /** Runs whose issue this engine is changing now. */
  readonly active = new Set<string>();

  /** The run's lease while its issue is changed; another engine's stays, because that engine reads the run again. */
  lease(record: RunRecord): Lease {
    const { lease } = record;
    const now = this.parts.clock.now();
    if (lease !== null && Date.parse(lease.expires_at) > now) return lease;
    return takeLease(record, this.parts.engineId, now + LEASE_MS);
  }

  start({ run, lease }: RunRecord): void {
    const { run_id } = run;
    if (this.active.has(run_id) || lease?.owner !== this.parts.engineId) return;
    this.active.add(run_id);
    this.parts.tasks.start('issue change', (signal) =>
      this.follow(run_id, lease, signal).finally(() => this.active.delete(run_id)),
    );
  }

  /** Resumes an abandoned change. False: the run has none. */
  async resume(runId: string, lost: (record: RunRecord) => boolean): Promise<boolean> {
    const record = await this.parts.runStore.get(runId);
    if (record === null || !isFollowing(record.run)) return false;
    const { record: taken, changed } = await changeRun(
      this.parts.runStore,
      this.parts.clock,
      runId,
      (found, now) => {
        if (!isFollowing(found.run) || !lost(found)) return { result: null };
        const lease = takeLease(found, this.parts.engineId, this.parts.clock.now() + LEASE_MS);
        const history = [step('issue_change.resumed', now, {})];
        return { result: null, change: { patch: {}, lease, history, quiet: true } };
      },
    );
    if (changed) this.start(taken);
    return true;
  }

  private async follow(runId: string, lease: Lease, signal: AbortSignal): Promise<void> {
    for (let round: Round = 'again'; round === 'again'; ) {
      const record = await getRun(this.parts.runStore, runId);
      if (!isFollowing(record.run) || !holds(record, lease)) return;
      const { not_before } = record.run.follow_up.progress;
      const ms = not_before === null ? 0 : Date.parse(not_before) - this.parts.clock.now();
      if (ms > 0) await this.parts.clock.sleep(ms, signal).catch(() => {});
      if (signal.aborted) return;
      // A later decision may have come in the meantime.
      if (ms > 0) continue;
      round = await this.round(record, record.run);
    }
  }

  private async round(record: RunRecord, run: Following): Promise<Round> {
    const target = this.targetOf(run);
    if (target === null) {
      const detail = 'The publisher of this run cannot change issues. Change the issue by hand.';
      return this.fail(record, new CulpritError('publish_refused', detail));
    }
    try {
      const { follow_up } = run;
      if (follow_up.comment !== null && follow_up.comment_url === null)
        return await this.comment(record, target, follow_up.comment);
      return await this.finish(record, target);
    } catch (error) {
      const failure = asCulpritError(error);
      if (failure.retryable) return this.retry(record, run, failure, {});
      return this.fail(record, failure);
    }
  }

  private targetOf(run: Following): Target | null {
    const { publisher: all } = this.parts;
    const { draft, publication } = run;
    if (all === null || draft === null || publication === null) return null;
    const { repository } = draft;
    const publisher = publisherOf(all, repository);
    const { number, issue_url: url } = publication;
    return publisher.reopening === undefined
      ? null
      : { run, repository, number, url, publisher, reopening: publisher.reopening };
  }

  /** One comment: found by its marker, or created once the listing can no longer hide an earlier attempt. */
  private async comment(record: RunRecord, target: Target, text: string): Promise<Round> {
    const { run, repository, number, reopening, publisher } = target;
    const { follow_up } = run;
    const marker = followUpMarker(this.parts.install.key, run, follow_up);
    const since = new Date(Date.parse(follow_up.at) - CLOCKS_MS).toISOString();
    const found = await this.asked(target, (signal) =>
      reopening.find(repository, number, marker, since, signal),
    );
    if (found !== null) return this.note(record, { comment_url: found.url }, 'issue_change.commented');
    const { looks, ambiguous, attempts } = follow_up.progress;
    const pause =
      ambiguous && publisher.listsAtOnce !== true
        ? searchPause(looks, this.parts.policy.publishSearchMs)
        : undefined;
    if (pause !== undefined)
      return this.progress(record, { looks: looks + 1, not_before: this.after(pause) });
    const trying = { attempts: attempts + 1, ambiguous: true, looks: 0, not_before: null };
    // A later decision may have replaced this one while the comments were searched.
    const written = await this.written(record, this.progressed(trying, 'issue_change.attempt'));
    if (!written.changed) return written.round;
    const body = commentOf(run, text, marker, follow_up.by);
    try {
      const made = await reopening.comment(repository, number, body, timeLimit(CALL_MS));
      return this.note(record, { comment_url: made.url }, 'issue_change.commented');
    } catch (error) {
      const failure = asCulpritError(error);
      if (failure.code === 'publish_wait') return this.retry(record, run, failure, { ambiguous: false });
      if (failure.retryable) return this.retry(record, run, failure, {});
      // Nothing was created by this attempt.
      return this.fail(record, await this.why(target, failure), follow_up.progress);
    }
  }

  /** Opens or closes the issue, which has no effect if it is in that state. */
  private async finish(record: RunRecord, target: Target): Promise<Round> {
    const { run, repository, number, reopening } = target;
    const { set } = run.follow_up;
    const act = set === 'closed' ? reopening.close?.bind(reopening) : set && reopening.open.bind(reopening);
    if (act) await this.asked(target, (signal) => act(repository, number, signal));
    const now = new Date(this.parts.clock.now()).toISOString();
    const own = { detail: { own: true } };
    const status = set === null ? [] : [set === 'closed' ? `${RECORDED}completed` : `${RECORDED}open`];
    const done = { state: 'done', done_at: now, error: null, progress: NO_PROGRESS } as const;
    return this.change(record, (_, at) => ({
      follow_up: done,
      lease: null,
      history: [...status.map((name) => step(name, at, own)), step('issue_change.done', at, {})],
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

  private retry(
    record: RunRecord,
    { follow_up: { progress } }: Following,
    error: CulpritError,
    changes: Partial<FollowUp['progress']>,
  ): Promise<Round> {
    const failures = progress.failures + 1;
    const retryAfterMs = Math.min(error.retryAfterMs ?? 0, LONGEST_WAIT_MS);
    const not_before = this.after(retryDelayMs(RETRY_DELAYS, failures, { retryAfterMs }));
    const name = failures === 1 ? 'issue_change.retry' : null;
    return this.progress(record, { ...changes, failures, not_before }, name, error);
  }

  private after(ms: number): string {
    return new Date(this.parts.clock.now() + ms).toISOString();
  }

  private progress(
    record: RunRecord,
    changes: Partial<FollowUp['progress']>,
    name: string | null = null,
    error: CulpritError | null = null,
  ): Promise<Round> {
    return this.change(record, this.progressed(changes, name, error));
  }

  private progressed(
    changes: Partial<FollowUp['progress']>,
    name: string | null,
    error: CulpritError | null = null,
  ): Change {
    return ({ progress }, at) => ({
      follow_up: { progress: { ...progress, ...changes }, error: error && runError(error) },
      lease: 'longer',
      history: name === null ? [] : [step(name, at, { error: error && runError(error) })],
      tell: false,
    });
  }

  private note(record: RunRecord, changes: Partial<FollowUp>, name: string): Promise<Round> {
    return this.change(record, (_, at) => ({
      follow_up: { ...changes, progress: NO_PROGRESS, error: null },
      lease: 'longer',
      history: [step(name, at, {})],
      tell: false,
    }));
  }

  private fail(record: RunRecord, error: CulpritError, progress?: FollowUp['progress']): Promise<Round> {
    this.parts.logger.warn({ run_id: record.run.run_id, err: error }, 'an issue could not be changed');
    return this.change(record, (_, at) => ({
      follow_up: { state: 'failed', error: runError(error), ...(progress && { progress }) },
      lease: null,
      history: [step('issue_change.failed', at, { error: runError(error) })],
      tell: true,
    }));
  }

  private async change(before: RunRecord, make: Change): Promise<Round> {
    return (await this.written(before, make)).round;
  }

  /** Changes the follow-up unless another engine took over, or a later decision replaced it: then nothing is `changed`. */
  private async written(
    before: RunRecord,
    make: Change,
  ): Promise<{ readonly round: Round; readonly changed: boolean }> {
    const number = before.run.follow_up?.number;
    const { result, changed } = await changeRun(
      this.parts.runStore,
      this.parts.clock,
      before.run.run_id,
      ({ run, lease }, now) => {
        if (!isFollowing(run) || !holds({ run, lease, intent: null }, before.lease))
          return { result: { tell: false, round: 'done' as const } };
        if (run.follow_up.number !== number) return { result: { tell: false, round: 'again' as const } };
        const { follow_up, lease: next, history, tell } = make(run.follow_up, now);
        const patch: RunPatch = { follow_up: { ...run.follow_up, ...follow_up } };
        const kept = next === null ? null : lease && { ...lease, expires_at: this.after(LEASE_MS) };
        const round = next === null ? ('done' as const) : ('again' as const);
        return { result: { tell, round }, change: { patch, lease: kept, history, quiet: true } };
      },
    );
    if (changed && result.tell) this.parts.notifications.changed(before.run.run_id);
    return { round: result.round, changed };
  }
}
