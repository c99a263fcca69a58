import { type InjectionToken, inject, injectable } from 'tsyringe';
import type { Registry } from '../connector/registry.js';
import { CLOCK, LOGGER, POLICY, REGISTRY, SANITISER, TASKS } from '../di/tokens.js';
import type { EnginePolicy } from '../engine-api.js';
import { CulpritError } from '../errors/error.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Notifier } from '../ports/notifier.js';
import { timeLimit, untilAborted } from '../resilience/time-limit.js';
import type { Tasks } from '../runs/tasks.js';
import {
  type FailedNotification,
  type FailedNotifications,
  failedNotifications,
  failureOf,
} from './failed-notifications.js';
import { type NotifyQueue, notifyQueue } from './notify-queue.js';
import type { Sanitiser } from './sanitise/index.js';
import { scrubRun } from './scrub-text.js';

/** What one notifier may take for one run. */
const NOTIFY_MS = 15_000;
/** After a start, runs that moved within this time are looked through for what nobody was told. */
const LOOK_BACK_MS = 7 * 24 * 60 * 60_000;
const LOOK_BACK_RUNS = 1_000;
/** How long it is kept what a notifier was told; longer than is looked back. */
const TOLD_MS = 30 * 24 * 60 * 60_000;

export const NOTIFICATIONS: InjectionToken<Notifications> = Symbol('Notifications');

/**
 * Tells each notifier about runs: the latest state, at least once, also across a restart. What fails is tried again
 * after growing pauses and then listed; no notifier waits for another, and nothing else waits for any.
 */
@injectable()
export class Notifications {
  private readonly queues = new Map<string, NotifyQueue>();
  private readonly failures: FailedNotifications;

  constructor(
    @inject(REGISTRY) private readonly registry: Registry,
    @inject(TASKS) private readonly tasks: Tasks,
    @inject(LOGGER) private readonly logger: Logger,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(SANITISER) private readonly sanitiser: Sanitiser,
    @inject(POLICY) policy: EnginePolicy,
  ) {
    this.failures = failedNotifications(registry.values);
    for (const { id, notifier } of registry.notifiers) {
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

  /** Returns at once; nothing waits for a notifier. */
  changed(runId: string): void {
    for (const queue of this.queues.values()) queue.add(runId);
  }

  /** Takes up what a dead process did not get to tell. */
  start(): void {
    if (this.queues.size === 0) return;
    this.tasks.start('notifications', () => this.lookBack());
  }

  failed(): Promise<readonly FailedNotification[]> {
    return this.failures.list();
  }

  /** Rejects with `not_found` for a connector that tells nobody. */
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
      const { runs, next } = await this.registry.runStore.page(query);
      for (const { run_id, updated_at } of runs) {
        if (updated_at < oldest || left-- <= 0 || this.tasks.signal.aborted) return;
        this.changed(run_id);
      }
      cursor = next;
    } while (cursor !== null);
  }

  private async attempt(connector: string, notifier: Notifier, runId: string): Promise<void> {
    try {
      await this.tell(connector, notifier, runId);
    } catch (error) {
      if (!this.tasks.signal.aborted) {
        this.logger.warn({ connector, run_id: runId, err: error }, 'a notifier failed');
      }
      throw error;
    }
  }

  private async tell(id: string, notifier: Notifier, runId: string): Promise<void> {
    const { runStore, values } = this.registry;
    const record = await runStore.get(runId);
    if (record === null) return;
    const key = `told:${id}:${runId}`;
    const version = String(record.run.version);
    if ((await values.get(key)) === version) return;
    const signal = timeLimit(NOTIFY_MS, this.tasks.signal);
    await untilAborted(notifier.notify(scrubRun(record.run, this.sanitiser), signal), signal);
    await values.set(key, version, TOLD_MS);
    await this.failures.forget(id, runId);
  }

  private async giveUp(connector: string, runId: string, attempts: number, error: unknown): Promise<void> {
    this.logger.warn({ connector, run_id: runId, attempts, err: error }, 'a notification was given up');
    const record = await this.registry.runStore.get(runId);
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
