import { type InjectionToken, inject, injectable } from 'tsyringe';
import type { Registry } from '../connector/registry.js';
import { CLOCK, ENGINE_ID, LOGGER, REGISTRY, TASKS } from '../di/tokens.js';
import type { RunRecord } from '../domain/run.js';
import { PUBLISHING, type Publishing } from '../pipeline/publish.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Tasks } from '../runs/tasks.js';
import { GATE_ONE, type GateOne } from './gate-one.js';

/** How often abandoned work is looked for. */
const EVERY_MS = 15_000;
/** How often an engine that shares its storage says that it lives, and for how long that is believed. */
const ALIVE_EVERY_MS = 3_000;
const ALIVE_MS = 15_000;

export const RECOVERY: InjectionToken<Recovery> = Symbol('Recovery');

/** Finds runs in `analyzing` and `publishing` that nobody works on, at the start and from time to time, and goes on with them. */
@injectable()
export class Recovery {
  constructor(
    @inject(REGISTRY) private readonly registry: Registry,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(ENGINE_ID) private readonly owner: string,
    @inject(GATE_ONE) private readonly gateOne: GateOne,
    @inject(PUBLISHING) private readonly publishing: Publishing,
    @inject(TASKS) private readonly tasks: Tasks,
    @inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    if (this.registry.runStore.shared) this.tasks.start('sign of life', () => this.live());
    this.tasks.start('recovery', async () => {
      while (!this.tasks.signal.aborted) {
        await this.sweep().catch((error) =>
          this.logger.warn({ err: error }, 'abandoned runs could not be looked for'),
        );
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
      const page = await this.registry.runStore.page(query);
      for (const { run_id, state } of page.runs) {
        const alive = await this.othersAlive(run_id);
        const lost = (record: RunRecord) => this.abandoned(record, alive);
        if (state === 'analyzing') await this.gateOne.resume(run_id, lost);
        else await this.publishing.resume(run_id, lost);
      }
      cursor = page.next;
    } while (cursor !== null && !this.tasks.signal.aborted);
  }

  /** The lease's owner, if another engine holds it and has given a sign of life. Who takes over wrongly is fenced off. */
  private async othersAlive(runId: string): Promise<string | null> {
    const { runStore, values } = this.registry;
    const owner = (await runStore.get(runId))?.lease?.owner ?? null;
    if (!runStore.shared || owner === null || owner === this.owner) return null;
    return (await values.get(aliveKey(owner))) === undefined ? null : owner;
  }

  private abandoned({ lease, run }: RunRecord, alive: string | null): boolean {
    if (this.gateOne.active.has(run.run_id) || this.publishing.active.has(run.run_id)) return false;
    if (lease === null || lease.owner === this.owner) return true;
    return lease.owner !== alive || Date.parse(lease.expires_at) <= this.clock.now();
  }

  private async live(): Promise<void> {
    const { values } = this.registry;
    while (!this.tasks.signal.aborted) {
      await values.set(aliveKey(this.owner), 'alive', ALIVE_MS).catch(() => {});
      await this.clock.sleep(ALIVE_EVERY_MS, this.tasks.signal, true).catch(() => {});
    }
    await values.delete(aliveKey(this.owner)).catch(() => {});
  }
}

function aliveKey(owner: string): string {
  return `engine-alive:${owner}`;
}
