import { type InjectionToken, inject, injectable } from 'tsyringe';
import type { Registry } from '../connector/registry.js';
import { CLOCK, LOGGER, POLICY, REGISTRY, TASKS } from '../di/tokens.js';
import type { EnginePolicy } from '../engine-api.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Publisher } from '../ports/publisher.js';
import type { Occurrence } from '../ports/run-store.js';
import type { FeedEntry } from '../ports/status-feed.js';
import { type BoundedMap, boundedMap } from '../resilience/bounded-map.js';
import { retryDelayMs } from '../resilience/retry-delay.js';
import { timeLimit } from '../resilience/time-limit.js';
import type { Tasks } from '../runs/tasks.js';

/** What one call of the code host may take. */
const READ_MS = 30_000;
/** How long crashes wait for such a call before they are counted; the answer then serves the next crash. */
const WAIT_MS = 2_000;
/** How long the first answer is believed; each further one twice as long, up to `issueStateMs`. */
const FIRST_MS = 5_000;
/** Calls begun for one batch; the other crashes are counted and ask with the next one. */
const MOST_READS = 8;
/** Fingerprints remembered. */
const MOST_KNOWN = 10_000;

export const ISSUE_STATES: InjectionToken<IssueStates> = Symbol('IssueStates');

interface Latest {
  /** The latest run of the fingerprint if it is published; else `null`. */
  readonly runId: string | null;
  readonly at: number;
}
interface IssueState {
  readonly closed: boolean;
  readonly at: number;
  /** How many times it was read by then. */
  readonly reads: number;
}

/**
 * Knows which published issues are closed. Nothing is polled: an issue is read when its crash comes again, after pauses that
 * double up to `issueStateMs` for each run, and never again after another run took over. What cannot be read counts as open.
 */
@injectable()
export class IssueStates {
  private readonly latest: BoundedMap<string, Latest> = boundedMap(MOST_KNOWN);
  private readonly states: BoundedMap<string, IssueState> = boundedMap(MOST_KNOWN);
  private readonly reading = new Map<string, Promise<void>>();
  private watching = false;

  constructor(
    @inject(REGISTRY) private readonly registry: Registry,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(POLICY) private readonly policy: EnginePolicy,
    @inject(TASKS) private readonly tasks: Tasks,
    @inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Ids of the published runs of these crashes whose issue is closed. Never rejects, never takes long. */
  async closed(occurrences: readonly Occurrence[]): Promise<readonly string[]> {
    const { publisher } = this.registry;
    if (publisher === null || occurrences.length === 0) return [];
    this.watch();
    try {
      const hashes = new Map(occurrences.map((one) => [keyOf(one.event.project, one.fingerprint.hash), one]));
      const found = await Promise.all([...hashes].map(([key, one]) => this.publishedRun(key, one)));
      const runs = [...new Set(found.flatMap((runId) => runId ?? []))];
      const stale = runs.filter((runId) => !this.believed(this.states.get(runId)));
      const reads = stale.slice(0, MOST_READS).map((runId) => this.read(runId, publisher));
      if (reads.length > 0) await this.atMost(WAIT_MS, Promise.all(reads));
      return runs.filter((runId) => this.states.get(runId)?.closed === true);
    } catch (error) {
      this.logger.warn(
        { err: error },
        'the state of published issues is not known; their crashes are counted',
      );
      return [];
    }
  }

  private async publishedRun(
    key: string,
    { event, fingerprint, aliases }: Occurrence,
  ): Promise<string | null> {
    const known = this.latest.get(key);
    if (known !== undefined && this.within(known.at, this.policy.issueStateMs)) return known.runId;
    let runId: string | null = null;
    for (const hash of [fingerprint.hash, ...aliases]) {
      const { runs } = await this.registry.runStore.page({
        project: event.project,
        fingerprint: hash,
        limit: 1,
      });
      const [run] = runs;
      if (run === undefined) continue;
      runId = run.state === 'published' ? run.run_id : null;
      break;
    }
    this.latest.set(key, { runId, at: this.clock.now() });
    return runId;
  }

  /** One reading at a time for each run; what other processes and earlier starts have read is used. */
  private read(runId: string, publisher: Publisher): Promise<void> {
    const under = this.reading.get(runId);
    if (under !== undefined) return under;
    const reading = new Promise<void>((resolve) => {
      this.tasks.start('issue state', async () => {
        try {
          const kept = await this.kept(runId);
          const reads = kept?.reads ?? 0;
          const state = this.believed(kept) ? kept : await this.ask(runId, publisher, reads + 1);
          this.states.set(runId, state);
        } finally {
          this.reading.delete(runId);
          resolve();
        }
      });
    });
    this.reading.set(runId, reading);
    return reading;
  }

  private async kept(runId: string): Promise<IssueState | undefined> {
    const text = await this.registry.values.get(valueKey(runId));
    if (text === undefined) return undefined;
    const {
      closed,
      at,
      reads = 1,
    } = JSON.parse(text) as Omit<IssueState, 'reads'> & { readonly reads?: number };
    return { closed, at, reads };
  }

  private async ask(runId: string, publisher: Publisher, reads: number): Promise<IssueState> {
    const at = this.clock.now();
    const { draft, publication } = (await this.registry.runStore.get(runId))?.run ?? {};
    let closed = false;
    if (draft && publication) {
      try {
        const signal = timeLimit(READ_MS, this.tasks.signal);
        const issue = await publisher.read(draft.repository, publication.number, signal);
        closed = issue?.state === 'closed';
      } catch (error) {
        this.logger.warn(
          { run_id: runId, err: error },
          'a published issue could not be read; it counts as open',
        );
      }
    }
    const state = { closed, at, reads };
    await this.registry.values.set(valueKey(runId), JSON.stringify(state), 2 * this.policy.issueStateMs);
    return state;
  }

  /** What was remembered of a fingerprint goes as soon as another run is its latest or the run moves. */
  private watch(): void {
    if (this.watching) return;
    this.watching = true;
    const stop = this.registry.statusFeed.watch(({ run }: FeedEntry) => {
      const key = keyOf(run.project, run.fingerprint.hash);
      const runId = run.state === 'published' ? run.run_id : null;
      if (this.latest.get(key)?.runId !== runId) this.latest.delete(key);
    });
    this.tasks.signal.addEventListener('abort', stop, { once: true });
  }

  private believed(state: IssueState | undefined): state is IssueState {
    if (state === undefined) return false;
    const schedule = { firstMs: FIRST_MS, maxMs: this.policy.issueStateMs };
    return this.within(state.at, retryDelayMs(schedule, state.reads));
  }

  private within(at: number, ms: number): boolean {
    const age = this.clock.now() - at;
    return age >= 0 && age < Math.min(ms, this.policy.issueStateMs);
  }

  private async atMost(ms: number, work: Promise<unknown>): Promise<void> {
    const stop = new AbortController();
    const late = this.clock.sleep(ms, AbortSignal.any([stop.signal, this.tasks.signal])).catch(() => {});
    await Promise.race([work, late]);
    stop.abort();
  }
}

function keyOf(project: string, hash: string): string {
  return JSON.stringify([project, hash]);
}

function valueKey(runId: string): string {
  return `issue-state:${runId}`;
}
