import { inject, injectable } from '../di/inject.js';
import { step } from '../domain/entries.js';
import { type FollowUp, type LinkedIssue, NO_PROGRESS } from '../domain/resolution.js';
import type { Lease, Run, RunRecord } from '../domain/run.js';
import { CulpritError } from '../errors/error.js';
import { Clock } from '../ports/clock.js';
import { Logger } from '../ports/logger.js';
import { type PublishedIssue, Publisher, type Reopening } from '../ports/publisher.js';
import type { RunPatch } from '../ports/run-store.js';
import { timeLimit } from '../resilience/time-limit.js';
import { Install } from '../runs/install.js';
import { runError } from '../runs/run-error.js';
import { holds, Runs } from '../runs/runs.js';
import { publisherOf } from '../runs/system-of.js';
import { whyNotReopened } from './destination.js';
import { CALL_MS, Effects, type Failed, publisherError, type Round, type StoredRound } from './effects.js';
import { commentOf, followUpMarker, SLOTS, type Slot } from './follow-up-effect.js';
import { CLOCKS_MS } from './issue.js';
import { RECORDED } from './issue-status.js';
import { Notifications } from './notify.js';

/** A pending change of an issue. */
interface Pending {
  readonly run: Run;
  readonly slot: Slot;
  readonly change: FollowUp;
}
/** The issue, and its system. */
interface Target extends LinkedIssue {
  readonly publisher: Publisher;
  readonly reopening: Reopening;
}
/** What a round changes of the pending change. */
type Change = (
  change: FollowUp,
  now: string,
) => {
  readonly change: Partial<FollowUp>;
  readonly lease: 'longer' | null;
  readonly history: ReturnType<typeof step>[];
};

/**
 * Does to an issue what was decided about its run: at most one comment for each decision, then the issue is opened or closed; and links a
 * regression's new issue from the earlier one.
 */
@injectable()
export class FollowUps {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Effects) private readonly effects: Effects,
    @inject(Publisher) private readonly publisher: Publisher | null,
    @inject(Install) private readonly install: Install,
    @inject(Clock) private readonly clock: Clock,
    @inject(Logger) private readonly logger: Logger,
    @inject(Notifications) private readonly notifications: Notifications,
  ) {}

  /** The run's lease while its issue is changed; another engine's stays, because that engine reads the run again. */
  lease(record: RunRecord): Lease {
    const { lease } = record;
    const isValid = lease !== null && Date.parse(lease.expires_at) > this.clock.now();
    return isValid ? lease : this.effects.take(record);
  }

  start({ run, lease }: RunRecord): void {
    if (lease?.owner !== this.runs.engineId) return;
    for (const { slot } of pendingIn(run)) {
      this.effects.start({
        runId: run.run_id,
        kind: 'issue change',
        name: slot,
        lease,
        progress: (record) => pendingAs(record.run, slot)?.change.progress ?? null,
        round: async (record) => {
          const pending = pendingAs(record.run, slot);
          return pending === null ? 'done' : this.round({ ...pending, lease });
        },
      });
    }
  }

  /** Resumes abandoned changes. False: the run has none. */
  async resume(runId: string, lost: (record: RunRecord) => boolean): Promise<boolean> {
    const record = await this.runs.store.get(runId);
    if (record === null || pendingIn(record.run).length === 0) return false;
    const isAbandoned = (found: RunRecord) => pendingIn(found.run).length > 0 && lost(found);
    const taken = await this.effects.resume(runId, isAbandoned, 'issue_change.resumed', true);
    if (taken !== null) this.start(taken);
    return true;
  }

  private async round(making: Making): Promise<Round> {
    const target = targetOf(making, this.publisher);
    if (target === null) {
      const detail = 'The publisher of this run cannot change issues. Change the issue manually.';
      return this.fail(making, new CulpritError('publish_refused', detail));
    }
    const { comment, comment_url } = making.change;
    if (comment !== null && comment_url === null) return this.comment(making, target, comment);
    try {
      await this.set(making, target);
    } catch (error) {
      const { progress } = making.change;
      return this.failed(making, target, { during: 'look', error: publisherError(error), progress });
    }
    return this.finish(making);
  }

  /** One comment, found by its marker or created. */
  private async comment(making: Making, target: Target, text: string): Promise<Round> {
    const { run, slot, change } = making;
    const { repository, number, reopening, publisher } = target;
    const marker = followUpMarker(this.install.key, run, change, slot);
    const since = new Date(Date.parse(change.at) - CLOCKS_MS).toISOString();
    const body = commentOf(run, text, marker, change.by);
    return this.effects.createOnce({
      progress: change.progress,
      listsAtOnce: publisher.listsAtOnce === true,
      find: (signal) => reopening.find(repository, number, marker, since, signal),
      check: (signal) => checkSystem(target, signal),
      create: (signal) => reopening.comment(repository, number, body, signal),
      store: (changes, what) =>
        this.progress(making, changes, what === 'attempt' ? 'issue_change.attempt' : null),
      made: ({ url }) => this.commented(making, url),
      failed: (failed) => this.failed(making, target, failed),
    });
  }

  /** Opens or closes the issue, which has no effect if it is in that state. */
  private async set({ change: { set } }: Making, target: Target): Promise<void> {
    const { repository, number, reopening } = target;
    const act = set === 'closed' ? reopening.close?.bind(reopening) : set && reopening.open.bind(reopening);
    if (!act) return;
    // The comment may be older than a move to another system.
    await checkSystem(target, timeLimit(CALL_MS));
    await act(repository, number, timeLimit(CALL_MS));
  }

  private async finish(making: Making): Promise<Round> {
    const { set } = making.change;
    const now = new Date(this.clock.now()).toISOString();
    const own = { detail: { own: true } };
    const status = set === null ? [] : [set === 'closed' ? `${RECORDED}completed` : `${RECORDED}open`];
    const { round } = await this.change(making, (_, at) => ({
      change: { state: 'done', done_at: now, error: null, progress: NO_PROGRESS },
      lease: null,
      history: [...status.map((name) => step(name, at, own)), entryOf(making, 'issue_change.done', at)],
    }));
    return round;
  }

  /** Retried while a retry can help; a reviewer may retry it after that. */
  private async failed(making: Making, target: Target, failed: Failed): Promise<Round> {
    if (!failed.error.retryable) {
      // A refused attempt created nothing, so the progress of those before it counts.
      return this.fail(making, await this.why(target, failed.error), making.change.progress);
    }
    const next = this.effects.retried(failed);
    const name = next.failures === 1 ? 'issue_change.retry' : null;
    return (await this.progress(making, next, name, failed.error)).round;
  }

  /** The publisher speaks of reopening; here the issue may have been meant to be closed. */
  private async why(target: Target, error: CulpritError): Promise<CulpritError> {
    if (error.code !== 'reopen_refused') return error;
    const { repository, number, url, publisher } = target;
    const issue = await publisher
      .read(repository, number, timeLimit(CALL_MS))
      .catch((): PublishedIssue | null => null);
    const why = whyNotReopened(issue, { url }) ?? 'its system refuses';
    const detail = `Issue ${number} of ${repository} cannot be changed: ${why}. Change it manually, or fix the cause and try again.`;
    return new CulpritError('publish_refused', detail);
  }

  private progress(
    making: Making,
    changes: Partial<FollowUp['progress']>,
    name: string | null,
    error: CulpritError | null = null,
  ): Promise<StoredRound> {
    return this.change(making, ({ progress }, at) => ({
      change: { progress: { ...progress, ...changes }, error: error && runError(error) },
      lease: 'longer',
      history: name === null ? [] : [entryOf(making, name, at, error)],
    }));
  }

  private async commented(making: Making, comment_url: string): Promise<Round> {
    const { round } = await this.change(making, (_, at) => ({
      change: { comment_url, progress: NO_PROGRESS, error: null },
      lease: 'longer',
      history: [entryOf(making, 'issue_change.commented', at)],
    }));
    return round;
  }

  private async fail(making: Making, error: CulpritError, progress = making.change.progress): Promise<Round> {
    this.logger.warn({ run_id: making.run.run_id, err: error }, 'an issue could not be changed');
    const { round } = await this.change(making, (_, at) => ({
      change: { state: 'failed', error: runError(error), progress },
      lease: null,
      history: [entryOf(making, 'issue_change.failed', at, error)],
    }));
    return round;
  }

  /** Changes what is pending unless another engine took over, or a later decision replaced it. */
  private async change(
    { run: { run_id }, slot, change: { number }, lease }: Making,
    make: Change,
  ): Promise<StoredRound> {
    const { result: round, changed } = await this.runs.change<Round>(run_id, (record, now) => {
      const pending = pendingAs(record.run, slot);
      if (pending === null || !holds(record, lease)) return { result: 'done' };
      if (pending.change.number !== number) return { result: 'again' };
      const { change, lease: next, history } = make(pending.change, now);
      const patch = patchOf({ ...pending, change: { ...pending.change, ...change } });
      const isFree = next === null && pendingIn({ ...record.run, ...patch }).length === 0;
      const kept = isFree ? null : this.effects.extended(record.lease);
      const result = next === null ? 'done' : 'again';
      return { result, change: { patch, lease: kept, history, quiet: true } };
    });
    if (changed && round === 'done') this.notifications.changed(run_id);
    return { round, changed };
  }
}

/** A pending change that this engine makes. */
interface Making extends Pending {
  readonly lease: Lease;
}

function entryOf({ run, slot }: Making, name: string, at: string, error: CulpritError | null = null) {
  // An entry about another issue than the run's own names it.
  const detail = slot === 'link_back' && run.link_back ? { issue: run.link_back.issue.url } : {};
  return step(name, at, { error: error && runError(error), detail });
}

function pendingIn(run: Run): readonly Pending[] {
  return SLOTS.flatMap((slot) => pendingAs(run, slot) ?? []);
}

function pendingAs(run: Run, slot: Slot): Pending | null {
  const change = slot === 'follow_up' ? run.follow_up : run.link_back?.change;
  return change?.state === 'pending' ? { run, slot, change } : null;
}

function patchOf({ run: { link_back }, slot, change }: Pending): RunPatch {
  return slot === 'follow_up' || !link_back ? { follow_up: change } : { link_back: { ...link_back, change } };
}

/** `null`: the system cannot change issues. */
function targetOf({ run, slot }: Pending, all: Publisher | null): Target | null {
  const issue = slot === 'link_back' ? run.link_back?.issue : ownIssue(run);
  const publisher = issue && all && publisherOf(all, issue.repository);
  return issue && publisher?.reopening ? { ...issue, publisher, reopening: publisher.reopening } : null;
}

function ownIssue({ draft, publication }: Run): LinkedIssue | null {
  if (draft === null || publication === null) return null;
  const { number, issue_url: url } = publication;
  return { repository: draft.repository, number, url };
}

/** The number of an issue means another one in another system. Throws if the run's projects have moved to one since. */
async function checkSystem(
  { publisher, repository, number, url }: Target,
  signal: AbortSignal,
): Promise<void> {
  const shown = await publisher.read(repository, number, signal);
  if (shown === null || originOf(shown.url) === originOf(url)) return;
  const detail = `Issue ${number} of ${repository} was ${url}; the publisher of this repository has moved since. Change the issue manually.`;
  throw new CulpritError('publish_refused', detail);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
