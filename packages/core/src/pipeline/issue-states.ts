import { inject, injectable } from '../di/inject.js';
import { hashesOf } from '../domain/member.js';
import type { RunSummary } from '../domain/run.js';
import { EnginePolicy } from '../engine-api.js';
import { Clock } from '../ports/clock.js';
import { Logger } from '../ports/logger.js';
import { Publisher } from '../ports/publisher.js';
import type { Occurrence, RecordPolicy, RunStore } from '../ports/run-store.js';
import { type FeedEntry, StatusFeed } from '../ports/status-feed.js';
import { Values } from '../ports/values.js';
import { type BoundedMap, boundedMap } from '../resilience/bounded-map.js';
import { retryDelayMs } from '../resilience/retry-delay.js';
import { timeLimit } from '../resilience/time-limit.js';
import { Runs } from '../runs/runs.js';
import { Tasks } from '../runs/tasks.js';
import { hasMarker, namedRun } from './draft/trailer.js';
import { lastPublishedAs } from './earlier-issue.js';
import { type FixedOccurrence, FixedReleases } from './fixed-releases.js';
import { Issues } from './issue.js';
import {
  CLOSED,
  DISMISSED,
  type IssueState,
  type IssueStatus,
  OPEN,
  readStored,
  valueKey,
} from './issue-status.js';
import { answerOf, IssueRecords } from './record-issue.js';

/** Time limit of one code host call. */
const READ_MS = 30_000;
/** How long crashes wait for such a call before they are counted. A late response is used for the next crash. */
const WAIT_MS = 2_000;
/** How long the first answer is valid; each further one twice as long, up to `issueStateMs`. */
const FIRST_MS = 5_000;
/** Calls started per batch; other crashes are counted and checked with the next batch. */
const MAX_READS = 8;
const MAX_KNOWN = 10_000;
/** An issue on the code host. */
export interface IssueName {
  readonly repository: string;
  readonly number: number;
}

/** The published runs of some crashes whose issue is not open. */
export type EndedIssues = Required<Pick<RecordPolicy, 'closedIssues' | 'dismissedIssues'>> & {
  /** The crashes whose revision does not contain the fix of their run's issue, with the run. */
  readonly beforeFix: ReadonlyMap<Occurrence, string>;
};
const NONE: EndedIssues = { closedIssues: [], dismissedIssues: [], beforeFix: new Map() };

/**
 * Reports which published issues are closed, and records in the run's history when that changes. There is no polling: an
 * issue is read when its crash recurs, at intervals that double up to `issueStateMs` per run, and never after a newer run
 * exists. An unreadable issue counts as open.
 */
@injectable()
export class IssueStates {
  private readonly published: PublishedRuns;
  private readonly states: BoundedMap<string, IssueState> = boundedMap(MAX_KNOWN);
  private readonly reading = new Map<string, Promise<void>>();
  private watching = false;

  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(StatusFeed) private readonly statusFeed: StatusFeed,
    @inject(Values) private readonly values: Values,
    @inject(Publisher) private readonly publisher: Publisher | null,
    @inject(IssueRecords) private readonly records: IssueRecords,
    @inject(FixedReleases) private readonly fixes: FixedReleases,
    @inject(Issues) private readonly issues: Issues,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Logger) private readonly logger: Logger,
  ) {
    this.published = new PublishedRuns(runs.store, clock);
  }

  /** The published runs of these crashes whose next crash may start a new run. Never rejects; bounded by `WAIT_MS`. */
  async ended(occurrences: readonly Occurrence[]): Promise<EndedIssues> {
    const { publisher } = this;
    if (publisher === null || occurrences.length === 0) return NONE;
    this.watch();
    try {
      const hashes = new Map(occurrences.map((one) => [keyOf(one.event.project, one.fingerprint.hash), one]));
      const fresh = (at: number) => this.within(at, this.policy.issueStateMs);
      const found = new Map(
        await Promise.all(
          [...hashes].map(async ([key, one]) => [key, await this.published.find(one, fresh)] as const),
        ),
      );
      const runs = [...new Set([...found.values()].flatMap((runId) => runId ?? []))];
      const stale = runs.filter((runId) => !this.believed(this.states.get(runId)));
      const reads = stale.slice(0, MAX_READS).map((runId) => this.read(runId, publisher));
      const fixed = () => occurrences.flatMap((occurrence) => this.fixedOf(found, occurrence));
      const looks = Promise.all(reads).then(() => this.fixes.look(fixed()));
      if (reads.length > 0 || fixed().length > 0) await this.atMost(WAIT_MS, looks);
      const among = (wanted: readonly IssueStatus[]) =>
        runs.filter((runId) => wanted.includes(this.states.get(runId)?.state ?? 'open'));
      const which = (contained: 'no' | 'pending') =>
        fixed().filter((one) => this.fixes.contained(one) === contained);
      const pending = new Set(which('pending').map(({ runId }) => runId));
      const unfixed = occurrences.filter((one) => this.isUnfixedRelease(found, one));
      return {
        closedIssues: among(CLOSED).filter((runId) => !pending.has(runId)),
        dismissedIssues: among(DISMISSED),
        beforeFix: new Map([
          ...which('no').map(({ occurrence, runId }) => [occurrence, runId] as const),
          ...unfixed.map((one) => [one, runOf(found, one) ?? ''] as const),
        ]),
      };
    } catch (error) {
      this.logger.warn({ err: error }, 'the state of published issues is unknown; their crashes are counted');
      return NONE;
    }
  }

  /**
   * The code host reported a change of an issue, given by its text or its number: the issue is read again, and its crashes wait
   * for that. Resolves with the run, or `null` if this installation did not publish the issue.
   */
  async changed(issue: string | IssueName): Promise<string | null> {
    const { publisher, runs } = this;
    if (publisher === null) return null;
    const body = typeof issue === 'string' ? issue : await this.textOf(issue, publisher);
    const runId = namedRun(body)?.run_id;
    if (runId === undefined) return null;
    const run = (await runs.store.get(runId))?.run;
    if (!run?.publication || !hasMarker(body, this.issues.marker(run))) return null;
    return this.changedRun(await lastPublishedAs(runs.store, run), publisher);
  }

  private async changedRun(runId: string, publisher: Publisher): Promise<string> {
    const earlier = this.reading.get(runId);
    this.states.delete(runId);
    this.start(runId, async () => {
      await earlier;
      return this.ask(runId, publisher, 1);
    });
    return runId;
  }

  /** Empty if it cannot be read. */
  private async textOf({ repository, number }: IssueName, publisher: Publisher): Promise<string> {
    const signal = timeLimit(READ_MS, this.tasks.signal);
    return (await publisher.read(repository, number, signal).catch(() => null))?.body ?? '';
  }

  /** The occurrence if its run's issue is closed by a known fix. */
  private fixedOf(
    runs: ReadonlyMap<string, string | null>,
    occurrence: Occurrence,
  ): readonly FixedOccurrence[] {
    const runId = runOf(runs, occurrence);
    const { state, fix } = (runId === null ? undefined : this.states.get(runId)) ?? {};
    return runId !== null && state === 'completed' && fix ? [{ runId, occurrence, fix }] : [];
  }

  /** True for a crash of a release that a reviewer's fix does not reach. */
  private isUnfixedRelease(runs: ReadonlyMap<string, string | null>, occurrence: Occurrence): boolean {
    const { release } = occurrence.event;
    const { not_in = [] } = this.states.get(runOf(runs, occurrence) ?? '') ?? {};
    return release !== null && not_in.includes(release);
  }

  /** Reads each run's issue once at a time; results of other processes and earlier starts are reused. */
  private read(runId: string, publisher: Publisher): Promise<void> {
    const find = async () => {
      const kept = await this.kept(runId);
      const reads = kept?.reads ?? 0;
      return this.believed(kept) ? kept : this.ask(runId, publisher, reads + 1);
    };
    return this.reading.get(runId) ?? this.start(runId, find);
  }

  private start(runId: string, find: () => Promise<IssueState>): Promise<void> {
    const reading = new Promise<void>((resolve) => {
      this.tasks.start('issue state', async () => {
        try {
          this.states.set(runId, await find());
        } finally {
          if (this.reading.get(runId) === reading) this.reading.delete(runId);
          resolve();
        }
      });
    });
    this.reading.set(runId, reading);
    return reading;
  }

  private async kept(runId: string): Promise<IssueState | undefined> {
    const text = await this.values.get(valueKey(runId));
    return text === undefined ? undefined : readStored(text);
  }

  private async ask(runId: string, publisher: Publisher, reads: number): Promise<IssueState> {
    const { runs, tasks, clock, values, policy } = this;
    const at = clock.now();
    const { run } = (await runs.store.get(runId)) ?? {};
    let state = run === undefined ? OPEN : answerOf(run, 'open');
    if (run?.draft && run.publication) {
      try {
        const signal = timeLimit(READ_MS, tasks.signal);
        const issue = await publisher.read(run.draft.repository, run.publication.number, signal);
        const { answer, againMs } = await this.records.record(runId, issue);
        state = answer;
        if (againMs !== null) this.readLater(runId, publisher, againMs);
      } catch (error) {
        const unread = 'a published issue could not be read; it counts as open';
        this.logger.warn({ run_id: runId, err: error }, unread);
        const now = await runs.store.get(runId); // A reviewer may have decided since.
        state = now === null ? state : answerOf(now.run, 'open');
      }
    }
    const found = { ...state, at, reads };
    await values.set(valueKey(runId), JSON.stringify(found), 2 * policy.issueStateMs);
    return found;
  }

  private readLater(runId: string, publisher: Publisher, ms: number): void {
    this.tasks.start('issue state', async (signal) => {
      await this.clock.sleep(ms, signal).catch(() => {});
      if (!signal.aborted) await this.changedRun(runId, publisher);
    });
  }

  /** A reviewer decided about the run: what is known of its issue no longer holds. */
  async forget(runId: string): Promise<void> {
    this.states.delete(runId);
    await this.values.delete(valueKey(runId));
  }

  /** Forgets what a change of a run makes wrong. */
  private watch(): void {
    if (this.watching) return;
    this.watching = true;
    const stop = this.statusFeed.watch(({ run }: FeedEntry) => {
      this.published.heard(run);
      const resolved = run.resolution?.by ? run.resolution.at : null;
      const known = this.states.get(run.run_id);
      if (known !== undefined && (known.resolved ?? null) !== resolved) this.states.delete(run.run_id);
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

/** The occurrence's run among the published ones, by `keyOf`. */
function runOf(runs: ReadonlyMap<string, string | null>, { event, fingerprint }: Occurrence): string | null {
  return runs.get(keyOf(event.project, fingerprint.hash)) ?? null;
}

/** A fingerprint of a project. */
function keyOf(project: string, hash: string): string {
  return JSON.stringify([project, hash]);
}

const MAX_RUNS = 10_000;

interface Found {
  /** The run if it is published; else `null`. */
  readonly runId: string | null;
  /** What the run's changes are heard of by: the fingerprints under which it may be found. */
  readonly names: readonly string[];
  readonly at: number;
  readonly change: number;
}

/** Which published run counts a crash. Remembered until a run of its fingerprints is new or in another state. */
class PublishedRuns {
  private readonly found: BoundedMap<string, Found> = boundedMap(MAX_RUNS);
  private readonly states: BoundedMap<string, string> = boundedMap(MAX_RUNS);
  /** The number of the last change, by fingerprint. */
  private readonly changes: BoundedMap<string, number> = boundedMap(MAX_RUNS);
  private change = 0;

  constructor(
    private readonly runStore: Pick<RunStore, 'countedOn'>,
    private readonly clock: { now(): number },
  ) {}

  async find(occurrence: Occurrence, isFresh: (at: number) => boolean): Promise<string | null> {
    const { event, fingerprint, aliases } = occurrence;
    const key = keyOf(event.project, fingerprint.hash);
    const known = this.found.get(key);
    if (known !== undefined && isFresh(known.at) && this.holds(known)) return known.runId;
    const { change } = this;
    const { hash, run } = await this.runStore.countedOn(occurrence);
    // The run that the crash is about to start may have another form's fingerprint.
    if (run === null) return null;
    const runId = run.state === 'published' ? run.run_id : null;
    const hashes = new Set([fingerprint.hash, hash, ...aliases, ...hashesOf(run)]);
    const names = [...hashes].map((one) => keyOf(event.project, one));
    this.found.set(key, { runId, names, at: this.clock.now(), change });
    return runId;
  }

  /** A run has changed. */
  heard(run: Pick<RunSummary, 'run_id' | 'state' | 'project' | 'fingerprint' | 'members'>): void {
    if (this.states.get(run.run_id) === run.state) return;
    this.states.set(run.run_id, run.state);
    this.change += 1;
    for (const hash of hashesOf(run)) this.changes.set(keyOf(run.project, hash), this.change);
  }

  private holds({ names, change }: Found): boolean {
    return names.every((name) => (this.changes.get(name) ?? 0) <= change);
  }
}
