import { inject, injectable } from '../di/inject.js';
import { step } from '../domain/entries.js';
import type { FollowUpProgress as Progress } from '../domain/resolution.js';
import type { Lease, RunRecord } from '../domain/run.js';
import { EnginePolicy } from '../engine-api.js';
import { asCulpritError, type CulpritError } from '../errors/error.js';
import { Clock } from '../ports/clock.js';
import { retryDelayMs } from '../resilience/retry-delay.js';
import { timeLimit } from '../resilience/time-limit.js';
import { holds, Runs } from '../runs/runs.js';
import { Tasks } from '../runs/tasks.js';

/** Longer than any delay between attempts, so an effect that waits keeps its lease. */
const LEASE_MS = 30 * 60_000;
/** Upper bound of a requested delay; GitHub's rate limits reset within the hour. */
const LONGEST_WAIT_MS = 2 * 60 * 60_000;
/** Delays after failed calls, unless the code host asks for a longer one. */
const RETRY_DELAYS = { firstMs: 2_000, maxMs: 60_000 };
/** Time limit of one code host call. */
export const CALL_MS = 90_000;
/** Delays between searches; the last one repeats, and the very last is cut, so that together they are the whole window. */
const SEARCH_PAUSES = [5_000, 60_000, 10 * 60_000] as const;

/** `done`: nothing more to do. Otherwise the next round reads the run again. */
export type Round = 'again' | 'done';

/** One effect on the outside that is stored on a run before it is made, and who makes it. */
export interface Effect {
  readonly runId: string;
  /** Of the background task, in the log. */
  readonly kind: string;
  /** Distinguishes the effects of one run. */
  readonly name: string;
  /** Of the engine that makes it. Without it, another engine has taken over. */
  readonly lease: Lease | null;
  /** What was tried so far; `null`: there is nothing to make any more. */
  progress(record: RunRecord): Progress | null;
  round(record: RunRecord): Promise<Round>;
}

/** Makes stored effects: one loop for each, under the run's lease, with its delays, also after a restart. */
@injectable()
export class Effects {
  private readonly loops = new Map<string, string>();

  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Tasks) private readonly tasks: Tasks,
  ) {}

  /** Whether this engine is making an effect of the run now. */
  makes(runId: string): boolean {
    return [...this.loops.values()].includes(runId);
  }

  /** A new lease for this engine. */
  take(record: RunRecord): Lease {
    return this.runs.lease(record, LEASE_MS);
  }

  /** The same lease for longer, without a new token. */
  extended(lease: Lease): Lease;
  extended(lease: Lease | null): Lease | null;
  extended(lease: Lease | null): Lease | null {
    return lease && { ...lease, expires_at: this.after(LEASE_MS) };
  }

  /** Has no effect while the same one is being made. */
  start(effect: Effect): void {
    const loop = `${effect.name} ${effect.runId}`;
    if (this.loops.has(loop)) return;
    this.loops.set(loop, effect.runId);
    this.tasks.start(effect.kind, (signal) =>
      this.follow(effect, signal).finally(() => this.loops.delete(loop)),
    );
  }

  /** Takes over what was abandoned. `entry`: of the history. `null`: there is nothing. */
  async resume(
    runId: string,
    isAbandoned: (record: RunRecord) => boolean,
    entry: string,
    quiet?: true,
  ): Promise<RunRecord | null> {
    const { record, changed } = await this.runs.change(runId, (found, now) => {
      if (!isAbandoned(found)) return { result: null };
      const change = { patch: {}, lease: this.take(found), history: [step(entry, now, {})] };
      return { result: null, change: { ...change, ...(quiet && { quiet }) } };
    });
    return changed ? record : null;
  }

  private async follow(effect: Effect, signal: AbortSignal): Promise<void> {
    for (let round: Round = 'again', waited: string | null = null; round === 'again'; ) {
      const record = await this.runs.get(effect.runId);
      const progress = effect.progress(record);
      if (progress === null || !holds(record, effect.lease)) return;
      const ms = waited === progress.not_before ? 0 : this.pauseUntil(progress.not_before);
      waited = progress.not_before;
      if (ms > 0) await this.clock.sleep(ms, signal).catch(() => {});
      if (signal.aborted) return;
      // The run may have changed in the meantime.
      if (ms <= 0) round = await effect.round(record);
    }
  }

  /** If the clock was set back since, the time may be years away, so no delay is longer than any that is stored. */
  private pauseUntil(notBefore: string | null): number {
    return notBefore === null ? 0 : Math.min(Date.parse(notBefore) - this.clock.now(), LONGEST_WAIT_MS);
  }

  /**
   * Looks for what an earlier attempt may have created, waits while a listing may still hide it, and then makes one attempt,
   * which is stored before. So nothing is created twice, no matter which response is lost.
   */
  async createOnce<Made>(once: Once<Made>): Promise<Round> {
    const { progress, store } = once;
    const looked = await this.look(once);
    if (looked.is === 'made') return once.made(looked.made, 'found');
    if (looked.is === 'failed') return once.failed(looked);
    if (looked.is === 'hidden') {
      const changes = { looks: progress.looks + 1, not_before: this.after(looked.pause), failures: 0 };
      return (await store(changes, 'look')).round;
    }
    // From before the attempt is stored: another engine that takes over meanwhile creates it itself, later than this.
    const limit = timeLimit(CALL_MS);
    const trying = { attempts: progress.attempts + 1, ambiguous: true, looks: 0, not_before: null };
    const { changed, round } = await store(trying, 'attempt');
    if (!changed) return round;
    let made: Made;
    try {
      made = await once.create(limit);
    } catch (thrown) {
      const error = publisherError(thrown);
      return once.failed({ during: 'attempt', error, progress: { ...progress, ...trying } });
    }
    return once.made(made, 'created');
  }

  private async look<Made>({ progress, listsAtOnce, find, check }: Once<Made>) {
    try {
      const made = await find(timeLimit(CALL_MS));
      if (made !== null) return { is: 'made', made, how: 'found' } as const;
      const isHidden = progress.ambiguous && !listsAtOnce;
      const pause = isHidden ? searchPause(progress.looks, this.policy.publishSearchMs) : undefined;
      if (pause !== undefined) return { is: 'hidden', pause } as const;
      await check(timeLimit(CALL_MS));
      return { is: 'absent' } as const;
    } catch (error) {
      return { is: 'failed', during: 'look', error: publisherError(error), progress } as const;
    }
  }

  /** After one more failure: the delay before the next call, which the service may have asked for. */
  retried({ error, progress, during }: Failed): Partial<Progress> {
    const failures = progress.failures + 1;
    const retryAfterMs = Math.min(error.retryAfterMs ?? 0, LONGEST_WAIT_MS);
    return {
      failures,
      not_before: this.after(retryDelayMs(RETRY_DELAYS, failures, { retryAfterMs })),
      // The service says that this attempt created nothing.
      ...(during === 'attempt' && error.code === 'publish_wait' && { ambiguous: false }),
    };
  }

  private after(ms: number): string {
    return new Date(this.clock.now() + ms).toISOString();
  }
}

/** What a stored change of the run gave. Not `changed`: another engine took over, or a later decision replaced the effect. */
export interface StoredRound {
  readonly round: Round;
  readonly changed: boolean;
}

/** Something that must be created once, and is found again by its marker. */
export interface Once<Made> {
  readonly progress: Progress;
  /** True: what was created is in the very next listing. */
  readonly listsAtOnce: boolean;
  find(signal: AbortSignal): Promise<Made | null>;
  /** Rejects if a creation must not be attempted. Only reads. */
  check(signal: AbortSignal): Promise<void>;
  create(signal: AbortSignal): Promise<Made>;
  store(changes: Partial<Progress>, what: 'look' | 'attempt'): Promise<StoredRound>;
  made(made: Made, how: 'found' | 'created'): Promise<Round>;
  failed(failed: Failed): Promise<Round>;
}

/** A failed call. During `look` nothing was sent. `progress`: as it is stored. */
export interface Failed {
  readonly during: 'look' | 'attempt';
  readonly error: CulpritError;
  readonly progress: Progress;
}

/** The delay after this many searches; `undefined` once they have covered the window. */
function searchPause(looks: number, windowMs: number): number | undefined {
  const pauseAt = (look: number) => SEARCH_PAUSES[Math.min(look, SEARCH_PAUSES.length - 1)] ?? 0;
  let waited = 0;
  for (let look = 0; look < looks; look++) waited += pauseAt(look);
  const left = windowMs - waited;
  return left > 0 ? Math.min(pauseAt(looks), left) : undefined;
}

/** A publisher that fails in an unknown way may have done what it was asked to. */
export function publisherError(error: unknown): CulpritError {
  const why = error instanceof Error ? error.message : 'no response';
  return asCulpritError(error, 'publish_ambiguous', `The publisher failed: ${why}`);
}
