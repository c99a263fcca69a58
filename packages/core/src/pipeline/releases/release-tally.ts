import { inject, injectable } from '../../di/inject.js';
import type { Recorded } from '../../domain/delivery.js';
import type { ReleaseCounts } from '../../domain/release.js';
import { Clock } from '../../ports/clock.js';
import { Logger } from '../../ports/logger.js';
import type { BatchItem } from '../../ports/run-store.js';
import { Values } from '../../ports/values.js';
import { type BoundedMap, boundedMap } from '../../resilience/bounded-map.js';
import { timeLimit, untilAborted } from '../../resilience/time-limit.js';
import { Runs } from '../../runs/runs.js';
import { type Stored, stored } from '../../runs/stored.js';
import { releaseIndex } from './release-index.js';
import { countsKey } from './release-keys.js';
import {
  type Counted,
  countCrash,
  countRun,
  countsOf,
  merged,
  NO_TALLY,
  nothingCounted,
  type StoredTally,
} from './tally-counts.js';

/** How long counts stay in memory before they are stored. A process that is killed loses these. */
const STORE_MS = 2_000;
const CLOSE_MS = 2_000;
/** Projects and edges remembered. */
const MAX_PROJECTS = 1_000;
/** New runs looked at for one store; the others, and those after one that cannot be read, count as new. */
const MAX_STARTED = 200;

interface Started {
  readonly run_id: string;
  readonly project: string;
  readonly release: string;
  readonly at: number;
}

/** Counts crashes by release as they are recorded. For a view: what a killed process had not stored is not counted. */
@injectable()
export class ReleaseTally {
  private counted = new Map<string, Counted>();
  private started: Started[] = [];
  /** The last sequence number counted of each edge: a batch that is sent again counts once. */
  private readonly sequences: BoundedMap<string, number> = boundedMap(MAX_PROJECTS);
  /** Projects without a release are not stored. */
  private readonly named: BoundedMap<string, true> = boundedMap(MAX_PROJECTS);
  private timer: ReturnType<typeof setTimeout> | null = null;
  private storing: Promise<void> = Promise.resolve();

  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Values) private readonly values: Values,
    @inject(Clock) private readonly clock: Clock,
    @inject(Logger) private readonly logger: Logger,
  ) {}

  /** Counts the accepted items of a batch. `candidates`: the ids that new runs get. */
  add(edge: string, items: readonly BatchItem[], outcomes: readonly Recorded[]): void {
    const last = this.sequences.get(edge) ?? 0;
    for (const [index, { occurrence, sequence }] of items.entries()) {
      const outcome = outcomes[index];
      if (!occurrence || outcome?.outcome !== 'accepted' || (sequence > 0 && sequence <= last)) continue;
      const { project, release, received_at } = occurrence.event;
      const at = Math.min(Date.parse(received_at), this.clock.now());
      if (release !== null) this.named.set(project, true);
      if (release === null && !this.named.has(project)) continue;
      countCrash(this.of(project), release, at);
      const { run_id } = outcome;
      if (run_id !== null && run_id === occurrence.candidate_run_id && release !== null)
        this.started.push({ run_id, project, release, at });
    }
    const highest = items.reduce((most, { sequence }) => Math.max(most, sequence), last);
    if (highest > last) this.sequences.set(edge, highest);
    if (this.counted.size > 0) this.schedule();
  }

  /** Of one project, by the latest crash. */
  async counts(project: string): Promise<readonly ReleaseCounts[]> {
    await this.store();
    return countsOf(await this.stored(project).get(), this.clock.now());
  }

  /** Stores what is counted. */
  async dispose(): Promise<void> {
    try {
      await untilAborted(this.store(), timeLimit(CLOSE_MS));
    } catch (error) {
      this.logger.warn({ err: error }, 'the last counts of releases were not stored');
    }
  }

  private of(project: string): Counted {
    const known = this.counted.get(project) ?? nothingCounted();
    if (this.counted.size < MAX_PROJECTS) this.counted.set(project, known);
    return known;
  }

  private schedule(): void {
    if (this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.store().catch((error) =>
        this.logger.warn({ err: error }, 'the counts of releases were not stored'),
      );
    }, STORE_MS);
    this.timer.unref?.();
  }

  /** One after the other, so that counts are never stored twice. */
  private store(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.storing = this.storing.catch(() => {}).then(() => this.storeNow());
    return this.storing;
  }

  private async storeNow(): Promise<void> {
    const { counted, started } = this;
    this.counted = new Map();
    this.started = [];
    const failures: unknown[] = [];
    for (const [index, { run_id, project, release, at }] of started.entries()) {
      const looked = index < MAX_STARTED && failures.length === 0;
      const record = looked ? await this.runs.store.get(run_id).catch(failed) : null;
      const regressed = record !== null && record.run.regression_of !== null;
      countRun(counted.get(project) ?? nothingCounted(), release, at, regressed);
    }
    // What one project cannot store is lost for this project alone: whether it was stored is unknown, so a repetition could count twice.
    for (const [project, one] of counted) await this.storeProject(project, one).catch(failed);
    if (failures.length > 0) throw failures[0];

    function failed(error: unknown): null {
      failures.push(error);
      return null;
    }
  }

  private async storeProject(project: string, counted: Counted): Promise<void> {
    const { values, clock } = this;
    const recorded = new Set((await releaseIndex(values, project).get()).map(([version]) => version));
    await this.stored(project).change((tally) => merged(tally, counted, clock.now(), recorded));
  }

  private stored(project: string): Stored<StoredTally> {
    return stored(this.values, countsKey(project), { none: NO_TALLY });
  }
}
