import { inject, injectable } from '../di/inject.js';
import type { RunRecord } from '../domain/run.js';
import { Effects } from '../pipeline/effects.js';
import { FollowUps } from '../pipeline/follow-up.js';
import { PendingFollowUps } from '../pipeline/pending-follow-ups.js';
import { Publishing } from '../pipeline/publish.js';
import { Clock } from '../ports/clock.js';
import { Logger } from '../ports/logger.js';
import { Values } from '../ports/values.js';
import { Runs } from '../runs/runs.js';
import { Tasks } from '../runs/tasks.js';
import { GateOne } from './gate-one.js';
import { HandingOff } from './handing-off.js';
import { Investigations } from './investigations.js';
import { Snoozing } from './snoozing.js';

/** Interval between searches for abandoned work and for snoozes that are over. */
const EVERY_MS = 15_000;
/** Heartbeat interval of an engine on shared storage, and how long a heartbeat is valid. */
const ALIVE_EVERY_MS = 3_000;
const ALIVE_MS = 15_000;

/**
 * Resumes abandoned runs in `analyzing` and `publishing`, abandoned changes of issues, hand-offs and investigations, and wakes snoozed
 * runs: at start and periodically.
 */
@injectable()
export class Recovery {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Values) private readonly values: Values,
    @inject(Clock) private readonly clock: Clock,
    @inject(Logger) private readonly logger: Logger,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(GateOne) private readonly gateOne: GateOne,
    @inject(Publishing) private readonly publishing: Publishing,
    @inject(FollowUps) private readonly followUps: FollowUps,
    @inject(HandingOff) private readonly handingOff: HandingOff,
    @inject(Investigations) private readonly investigations: Investigations,
    @inject(Effects) private readonly effects: Effects,
    @inject(PendingFollowUps) private readonly pending: PendingFollowUps,
    @inject(Snoozing) private readonly snoozing: Snoozing,
  ) {}

  start(): void {
    if (this.runs.store.shared) this.tasks.start('heartbeat', () => this.live());
    this.tasks.start('recovery', async () => {
      while (!this.tasks.signal.aborted) {
        await this.sweep().catch((error) =>
          this.logger.warn({ err: error }, 'the search for abandoned runs failed'),
        );
        await this.snoozing
          .wakeDue()
          .catch((error) => this.logger.warn({ err: error }, 'the search for snoozed runs failed'));
        await this.clock.sleep(EVERY_MS, this.tasks.signal, true).catch(() => {});
      }
    });
  }

  async sweep(): Promise<void> {
    let cursor: string | null = null;
    do {
      const query = {
        states: ['analyzing', 'publishing'] as const,
        limit: 100,
        ...(cursor === null ? {} : { cursor }),
      };
      const page = await this.runs.store.page(query);
      for (const { run_id, state } of page.runs) {
        const alive = await this.othersAlive(run_id);
        const lost = (record: RunRecord) => this.abandoned(record, alive);
        if (state === 'analyzing') await this.gateOne.resume(run_id, lost);
        else await this.publishing.resume(run_id, lost);
      }
      cursor = page.next;
    } while (cursor !== null && !this.tasks.signal.aborted);
    await this.sweepFollowUps();
  }

  private async sweepFollowUps(): Promise<void> {
    for (const runId of await this.pending.list()) {
      if (this.tasks.signal.aborted) return;
      const alive = await this.othersAlive(runId);
      const changes = await this.followUps.resume(runId, (record) => this.abandoned(record, alive));
      const handsOver = await this.handingOff.resume(runId);
      const investigates = await this.investigations.resume(runId);
      if (!changes && !handsOver && !investigates) await this.pending.drop(runId);
    }
  }

  /** The lease's owner if it is another engine with a valid heartbeat. Lease tokens fence off a wrong takeover. */
  private async othersAlive(runId: string): Promise<string | null> {
    const { store, engineId } = this.runs;
    const owner = (await store.get(runId))?.lease?.owner ?? null;
    if (!store.shared || owner === null || owner === engineId) return null;
    return (await this.values.get(aliveKey(owner))) === undefined ? null : owner;
  }

  private abandoned({ lease, run }: RunRecord, alive: string | null): boolean {
    if (this.gateOne.active.has(run.run_id) || this.effects.makes(run.run_id)) return false;
    if (lease === null || lease.owner === this.runs.engineId) return true;
    return lease.owner !== alive || Date.parse(lease.expires_at) <= this.clock.now();
  }

  private async live(): Promise<void> {
    while (!this.tasks.signal.aborted) {
      await this.values.set(aliveKey(this.runs.engineId), 'alive', ALIVE_MS).catch(() => {});
      await this.clock.sleep(ALIVE_EVERY_MS, this.tasks.signal, true).catch(() => {});
    }
    await this.values.delete(aliveKey(this.runs.engineId)).catch(() => {});
  }
}

function aliveKey(owner: string): string {
  return `engine-alive:${owner}`;
}
