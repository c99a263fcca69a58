import { inject, injectable } from '../di/inject.js';
import type { Run, RunRecord } from '../domain/run.js';
import type { RunStory } from '../domain/story.js';
import { EnginePolicy } from '../engine-api.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import { Clock } from '../ports/clock.js';
import { Logger } from '../ports/logger.js';
import { type ConnectedNotifier, type Notifier, Notifiers } from '../ports/notifier.js';
import { RunHistory } from '../ports/run-history.js';
import { Values } from '../ports/values.js';
import { retryDelayMs } from '../resilience/retry-delay.js';
import { semaphore } from '../resilience/semaphore.js';
import { timeLimit, untilAborted } from '../resilience/time-limit.js';
import { Runs } from '../runs/runs.js';
import { storedList } from '../runs/stored.js';
import { Tasks } from '../runs/tasks.js';
import { Issues } from './issue.js';
import { Sanitiser } from './sanitise/index.js';
import { scrubRun, scrubStory } from './scrub-text.js';
import { Stories } from './story.js';

/** Time limit of one notification. */
const NOTIFY_MS = 15_000;
/** After a start, runs that changed within this time are checked for missed notifications. */
const LOOK_BACK_MS = 7 * 24 * 60 * 60_000;
const LOOK_BACK_RUNS = 1_000;
/** How long sent notifications are remembered; longer than `LOOK_BACK_MS`. */
const NOTIFIED_MS = 30 * 24 * 60 * 60_000;

/**
 * Sends each run's latest state to every notifier, at least once, also across a restart. Failures are retried with growing
 * delays, then listed. Notifiers do not wait for each other, and nothing else waits for them.
 */
@injectable()
export class Notifications {
  private readonly queues = new Map<string, NotifyQueue>();
  private readonly failures: FailedNotifications;

  constructor(
    @inject(Notifiers) notifiers: readonly ConnectedNotifier[],
    @inject(Runs) private readonly runs: Runs,
    @inject(RunHistory) private readonly runHistory: RunHistory,
    @inject(Values) private readonly values: Values,
    @inject(Issues) private readonly issues: Issues,
    @inject(Stories) private readonly stories: Stories,
    @inject(Sanitiser) private readonly sanitiser: Sanitiser,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) policy: EnginePolicy,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Logger) private readonly logger: Logger,
  ) {
    this.failures = failedNotifications(values);
    for (const { id, notifier } of notifiers) {
      const queue = notifyQueue({
        clock,
        tasks,
        pausesMs: policy.notifyPausesMs,
        attempt: (runId) => this.attempt(id, notifier, runId),
        givenUp: (runId, attempts, error) => this.giveUp(id, runId, attempts, error),
      });
      this.queues.set(id, queue);
    }
  }

  /** Returns immediately. */
  changed(runId: string): void {
    for (const queue of this.queues.values()) queue.add(runId);
  }

  /** Sends what a previous process did not send. */
  start(): void {
    if (this.queues.size === 0) return;
    this.tasks.start('notifications', () => this.lookBack());
  }

  failed(): Promise<readonly FailedNotification[]> {
    return this.failures.list();
  }

  /** Rejects with `not_found` for a connector without a notifier. */
  async retry(connector: string, runId: string): Promise<void> {
    const queue = this.queues.get(connector);
    if (queue === undefined) {
      throw new CulpritError('not_found', `No notifier has the id "${connector.slice(0, 64)}".`);
    }
    queue.add(runId);
  }

  private async lookBack(): Promise<void> {
    const oldest = new Date(this.clock.now() - LOOK_BACK_MS).toISOString();
    let cursor: string | null = null;
    let left = LOOK_BACK_RUNS;
    do {
      const query = { limit: 100, ...(cursor === null ? {} : { cursor }) };
      const { runs, next } = await this.runs.store.page(query);
      for (const { run_id, updated_at } of runs) {
        if (updated_at < oldest || left-- <= 0 || this.tasks.signal.aborted) return;
        this.changed(run_id);
      }
      cursor = next;
    } while (cursor !== null);
  }

  private async attempt(connector: string, notifier: Notifier, runId: string): Promise<void> {
    try {
      await this.deliver(connector, notifier, runId);
    } catch (error) {
      if (!this.tasks.signal.aborted) {
        this.logger.warn({ connector, run_id: runId, err: error }, 'a notifier failed');
      }
      throw error;
    }
  }

  private async deliver(id: string, notifier: Notifier, runId: string): Promise<void> {
    const { values } = this;
    const record = await this.runs.store.get(runId);
    if (record === null) return;
    const key = `told:${id}:${runId}`;
    const stage = stageOf(record.run, notifier);
    if ((await values.get(key)) === stage) return;
    const run = scrubRun(record.run, this.sanitiser);
    const story = await this.storyFor(run);
    const trailer = this.trailerOf(record);
    await this.within((signal) => notifier.notify(run, signal, story, trailer));
    await this.sendComments(id, notifier, run);
    await values.set(key, stage, NOTIFIED_MS);
    await this.failures.forget(id, runId);
  }

  /** Only runs of a crash that came back have one. */
  private async storyFor({ run_id, regression_of, came_back_as }: Run): Promise<RunStory | undefined> {
    if (regression_of === null && came_back_as === undefined) return undefined;
    return scrubStory(await this.stories.of(run_id), this.sanitiser);
  }

  /** Nobody has signed it yet, so the reviewer is the person who will approve. */
  private trailerOf(record: RunRecord): string | undefined {
    const { draft, state } = record.run;
    if (draft === null || (state !== 'staged_draft' && state !== 'publishing')) return undefined;
    return this.issues.toSign(record, 'the person who approves').body.slice(draft.body.length);
  }

  private within(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const signal = timeLimit(NOTIFY_MS, this.tasks.signal);
    return untilAborted(work(signal), signal);
  }

  /** Those that this notifier has not received yet, unless they are so old that it may have. */
  private async sendComments(id: string, notifier: Notifier, run: Run): Promise<void> {
    if (notifier.comment === undefined || !run.comments) return;
    const { runHistory, values, clock, sanitiser } = this;
    const key = `told-comment:${id}:${run.run_id}`;
    const last = Number((await values.get(key)) ?? 0);
    const oldest = new Date(clock.now() - LOOK_BACK_MS).toISOString();
    for (const { name, sequence, at, by, detail } of await runHistory.history(run.run_id)) {
      if (name !== 'comment' || sequence <= last || at < oldest || by === null) continue;
      const text = sanitiser.text(String(detail.comment ?? '')).value;
      await this.within(async (signal) => notifier.comment?.(run, { sequence, by, text }, signal));
      await values.set(key, String(sequence), NOTIFIED_MS);
    }
  }

  private async giveUp(connector: string, runId: string, attempts: number, error: unknown): Promise<void> {
    this.logger.warn({ connector, run_id: runId, attempts, err: error }, 'a notification was given up');
    const record = await this.runs.store.get(runId);
    if (record === null) return;
    const at = new Date(this.clock.now()).toISOString();
    const { state } = record.run;
    await this.failures.keep({
      connector,
      run_id: runId,
      state,
      at,
      attempts,
      ...failureOf(error, this.sanitiser),
    });
  }
}

/**
 * Changes whenever a notification is due: with a new version, or with crashes through another door. Claims and comments
 * concern only notifiers that send comments.
 */
function stageOf({ version, remarks = 0, sources = [] }: Run, { comment }: Notifier): string {
  const stage = comment === undefined ? version - remarks : version;
  return sources.length > 1 ? `${stage}.${sources.length}` : String(stage);
}

/** Concurrent runs per notifier. */
const AT_ONCE = 4;
/** Maximum share by which jitter shortens a delay. */
const JITTER = 0.2;

interface NotifyQueueParts {
  readonly clock: Clock;
  readonly tasks: Tasks;
  readonly pausesMs: readonly number[];
  /** One attempt for the run as it is now. */
  readonly attempt: (runId: string) => Promise<void>;
  /** Called after the last attempt has failed. */
  readonly givenUp: (runId: string, attempts: number, error: unknown) => Promise<void>;
}

interface NotifyQueue {
  /** Queues the run for notification. Returns immediately. */
  add(runId: string): void;
}

/** Sends runs to one notifier, a few at once. Changes of a run that is being sent are combined; failures are retried after a delay. */
function notifyQueue({ clock, tasks, pausesMs, attempt, givenUp }: NotifyQueueParts): NotifyQueue {
  const inTurn = semaphore(AT_ONCE);
  /** Runs that changed since their last attempt began. */
  const changed = new Set<string>();
  /** Runs that are being sent, or wait to be. */
  const following = new Set<string>();

  const send = async (runId: string, signal: AbortSignal) => {
    for (let failures = 0; changed.has(runId) || failures > 0; ) {
      try {
        await inTurn(async () => {
          changed.delete(runId);
          await attempt(runId);
        }, signal);
        failures = 0;
      } catch (error) {
        signal.throwIfAborted();
        failures += 1;
        const isFinal = isCulpritError(error, 'notifier_failed') && !error.retryable;
        if (isFinal || failures > pausesMs.length) {
          await givenUp(runId, failures, error);
          failures = 0;
          continue;
        }
        const retryAfterMs = isCulpritError(error) ? error.retryAfterMs : undefined;
        const ms = retryDelayMs(pausesMs, failures, { jitter: JITTER, retryAfterMs });
        await clock.sleep(ms, signal, true);
      }
    }
  };
  const follow = async (runId: string, signal: AbortSignal) => {
    following.add(runId);
    try {
      while (changed.has(runId)) await send(runId, signal);
    } finally {
      following.delete(runId);
    }
  };
  return {
    add(runId) {
      changed.add(runId);
      if (!following.has(runId)) tasks.start('notification', (signal) => follow(runId, signal));
    },
  };
}

/** A notification that was given up. */
export interface FailedNotification {
  /** Id of the connector that could not deliver it. */
  readonly connector: string;
  readonly run_id: string;
  readonly state: Run['state'];
  /** ISO 8601: when the last attempt failed. */
  readonly at: string;
  readonly attempts: number;
  readonly code: string;
  readonly detail: string;
}

/** Maximum number of entries; the newest are kept. */
const MAX = 200;
const DETAIL_CHARS = 300;

interface FailedNotifications {
  list(): Promise<readonly FailedNotification[]>;
  keep(failed: FailedNotification): Promise<void>;
  forget(connector: string, runId: string): Promise<void>;
}

/** Abandoned notifications, newest first, at most one per connector and run. */
function failedNotifications(values: Values): FailedNotifications {
  const list = storedList<FailedNotification>(values, 'notifications-failed', {
    newest: 'first',
    most: MAX,
  });
  const of = (connector: string, runId: string) => (one: FailedNotification) =>
    one.connector === connector && one.run_id === runId;
  return {
    list: list.get,
    keep: (failed) => list.add(failed, of(failed.connector, failed.run_id)),
    forget: async (connector, runId) => void (await list.remove(of(connector, runId))),
  };
}

/** An error as the list shows it: the text of a `CulpritError`, or a fixed text. */
function failureOf(error: unknown, sanitiser: Sanitiser): Pick<FailedNotification, 'code' | 'detail'> {
  if (!isCulpritError(error))
    return { code: 'internal', detail: 'The notifier failed. See the log for details.' };
  return { code: error.code, detail: sanitiser.text(error.message).value.slice(0, DETAIL_CHARS) };
}
