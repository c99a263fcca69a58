import { inject, injectable } from '../di/inject.js';
import type { Run } from '../domain/run.js';
import { type Woken, wake } from '../domain/snooze.js';
import { Notifications } from '../pipeline/notify.js';
import { Clock } from '../ports/clock.js';
import { Logger } from '../ports/logger.js';
import { StatusFeed } from '../ports/status-feed.js';
import { Runs } from '../runs/runs.js';
import { Tasks } from '../runs/tasks.js';

/** Runs read at once while snoozed ones are searched for. */
const PAGE = 200;
/** Wakes runs when the time of their snooze has come. */
@injectable()
export class Snoozing {
  /** When each run that is snoozed until a time is due, in ms since 1970; `null` until they have been searched for. */
  private due: Map<string, number> | null = null;

  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(StatusFeed) private readonly statusFeed: StatusFeed,
    @inject(Clock) private readonly clock: Clock,
    @inject(Logger) private readonly logger: Logger,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Notifications) private readonly notifications: Notifications,
  ) {}

  /** Follows the snoozes of every process that shares the storage. */
  start(): void {
    const { statusFeed, tasks } = this;
    const unwatch = statusFeed.watch(
      ({ run }) => this.note(run),
      () => {
        this.due = null;
      },
    );
    tasks.signal.addEventListener('abort', unwatch, { once: true });
  }

  /** Wakes the runs whose time has come. Other processes may do so, too: one of them changes the run. */
  async wakeDue(): Promise<void> {
    const { clock, tasks, logger } = this;
    const due = this.due ?? (await this.search());
    for (const [runId, at] of due) {
      if (at > clock.now() || tasks.signal.aborted) continue;
      await this.wakeNow(runId).then(
        () => {
          // Unless another snooze has replaced it meanwhile.
          if (due.get(runId) === at) due.delete(runId);
        },
        (error) => logger.warn({ run_id: runId, err: error }, 'a snoozed run could not be woken'),
      );
    }
  }

  private async wakeNow(runId: string): Promise<void> {
    const { changed } = await this.runs.change(runId, ({ run }, now) => {
      const { until } = run.snooze ?? {};
      if (until?.kind !== 'time' || until.at > now) return { result: null };
      const woken: Woken = { at: now, why: 'time' };
      const ended = wake(run, woken);
      if (ended === null) return { result: null };
      return { result: null, change: { patch: ended.patch, history: [ended.entry] } };
    });
    if (changed) this.notifications.changed(runId);
  }

  /** Once per process, and again after the store failed over. Changes meanwhile come through the feed. */
  private async search(): Promise<Map<string, number>> {
    const due = new Map<string, number>();
    this.due = due;
    try {
      for (let cursor: string | null = null; ; ) {
        const query = { states: ['snoozed'] as const, limit: PAGE, ...(cursor === null ? {} : { cursor }) };
        const page = await this.runs.store.page(query);
        for (const run of page.runs) this.note(run);
        cursor = page.next;
        if (cursor === null || this.tasks.signal.aborted) return due;
      }
    } catch (error) {
      this.due = null;
      throw error;
    }
  }

  private note({ run_id, state, snooze }: Pick<Run, 'run_id' | 'state' | 'snooze'>): void {
    const { until } = snooze ?? {};
    if (state === 'snoozed' && until?.kind === 'time') this.due?.set(run_id, Date.parse(until.at));
    else this.due?.delete(run_id);
  }
}
