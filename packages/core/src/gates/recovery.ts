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
        if (state === 'analyzing') await this.gateOne.resume(run_id, (record) => this.abandoned(record));
        else await this.publishing.resume(run_id, (record) => this.abandoned(record));
      }
      cursor = page.next;
    } while (cursor !== null && !this.tasks.signal.aborted);
  }

  private abandoned({ lease, run }: RunRecord): boolean {
    if (this.gateOne.active.has(run.run_id) || this.publishing.active.has(run.run_id)) return false;
    if (lease === null || lease.owner === this.owner) return true;
    return !this.registry.runStore.shared || Date.parse(lease.expires_at) <= this.clock.now();
  }
}
