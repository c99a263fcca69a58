import type { RunRecord } from '../domain/run.js';
import type { FollowUps } from '../pipeline/follow-up.js';
import { pendingFollowUps } from '../pipeline/pending-follow-ups.js';
import type { Publishing } from '../pipeline/publish.js';
import type { EngineServices } from '../runs/services.js';
import type { GateOne } from './gate-one.js';
import type { Snoozing } from './snoozing.js';

/** Interval between searches for abandoned work and for snoozes that are over. */
const EVERY_MS = 15_000;
/** Heartbeat interval of an engine on shared storage, and how long a heartbeat is valid. */
const ALIVE_EVERY_MS = 3_000;
const ALIVE_MS = 15_000;

/** The ports and services that Recovery uses. */
export type RecoveryParts = Pick<
  EngineServices,
  'runStore' | 'values' | 'clock' | 'engineId' | 'tasks' | 'logger'
> & {
  readonly gateOne: GateOne;
  readonly publishing: Publishing;
  readonly followUps: FollowUps;
  readonly snoozing: Snoozing;
};

/** Resumes abandoned runs in `analyzing` and `publishing` and abandoned changes of issues, and wakes snoozed runs, at start and periodically. */
export class Recovery {
  constructor(private readonly parts: RecoveryParts) {}

  start(): void {
    if (this.parts.runStore.shared) this.parts.tasks.start('heartbeat', () => this.live());
    this.parts.tasks.start('recovery', async () => {
      while (!this.parts.tasks.signal.aborted) {
        await this.sweep().catch((error) =>
          this.parts.logger.warn({ err: error }, 'the search for abandoned runs failed'),
        );
        await this.parts.snoozing
          .wakeDue()
          .catch((error) => this.parts.logger.warn({ err: error }, 'the search for snoozed runs failed'));
        await this.parts.clock.sleep(EVERY_MS, this.parts.tasks.signal, true).catch(() => {});
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
      const page = await this.parts.runStore.page(query);
      for (const { run_id, state } of page.runs) {
        const alive = await this.othersAlive(run_id);
        const lost = (record: RunRecord) => this.abandoned(record, alive);
        if (state === 'analyzing') await this.parts.gateOne.resume(run_id, lost);
        else await this.parts.publishing.resume(run_id, lost);
      }
      cursor = page.next;
    } while (cursor !== null && !this.parts.tasks.signal.aborted);
    await this.sweepFollowUps();
  }

  private async sweepFollowUps(): Promise<void> {
    const { values, clock, followUps, tasks } = this.parts;
    const pending = pendingFollowUps(values, clock);
    for (const runId of await pending.list()) {
      if (tasks.signal.aborted) return;
      const alive = await this.othersAlive(runId);
      const has = await followUps.resume(runId, (record) => this.abandoned(record, alive));
      if (!has) await pending.drop(runId);
    }
  }

  /** The lease's owner if it is another engine with a valid heartbeat. Lease tokens fence off a wrong takeover. */
  private async othersAlive(runId: string): Promise<string | null> {
    const { runStore, values } = this.parts;
    const owner = (await runStore.get(runId))?.lease?.owner ?? null;
    if (!runStore.shared || owner === null || owner === this.parts.engineId) return null;
    return (await values.get(aliveKey(owner))) === undefined ? null : owner;
  }

  private abandoned({ lease, run }: RunRecord, alive: string | null): boolean {
    const { gateOne, publishing, followUps } = this.parts;
    if ([gateOne, publishing, followUps].some(({ active }) => active.has(run.run_id))) return false;
    if (lease === null || lease.owner === this.parts.engineId) return true;
    return lease.owner !== alive || Date.parse(lease.expires_at) <= this.parts.clock.now();
  }

  private async live(): Promise<void> {
    const { values } = this.parts;
    while (!this.parts.tasks.signal.aborted) {
      await values.set(aliveKey(this.parts.engineId), 'alive', ALIVE_MS).catch(() => {});
      await this.parts.clock.sleep(ALIVE_EVERY_MS, this.parts.tasks.signal, true).catch(() => {});
    }
    await values.delete(aliveKey(this.parts.engineId)).catch(() => {});
  }
}

function aliveKey(owner: string): string {
  return `engine-alive:${owner}`;
}
