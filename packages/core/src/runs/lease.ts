import { randomUUID } from 'node:crypto';
import type { StoredKey } from '../domain/stored-values.js';
import type { Logger } from '../ports/logger.js';
import type { Values } from '../ports/values.js';

export interface LeaseTimes {
  /** Another process takes over this long after the last renewal. */
  readonly leaseMs: number;
  /** The leader itself stops this much earlier, because clocks do not run equally fast. */
  readonly marginMs: number;
  /** From one renewal to the next. */
  readonly everyMs: number;
}
const TIMES: LeaseTimes = { leaseMs: 15_000, marginMs: 1_000, everyMs: 3_000 };

/** The time in which this process leads. */
export interface Term {
  /** Aborted once the lease may be another's: what is under way must end, and write nothing. */
  readonly lost: AbortSignal;
  /** Throws once the lease may be another's, also if this process was stopped meanwhile. To be called before each effect. */
  assertHeld(): void;
}

/** Of the only process on its storage. */
export function endlessTerm(): Term {
  return { lost: new AbortController().signal, assertHeld() {} };
}

export interface Closable {
  close(): Promise<void>;
}
/** Begins the work of a term. If it rejects, it is called again soon. */
export type Start = (term: Term) => Promise<Closable>;

/** What the processes on a shared storage agree by. */
export interface LeaseIn {
  /** `null`: this process is the only one on its storage, so it always leads. */
  readonly values: Values | null;
  readonly key: StoredKey;
  readonly logger: Logger;
  readonly times?: LeaseTimes;
}

/**
 * Keeps exactly one of the processes on a shared storage working. `start` is called while this one leads. The lease of a stored value
 * is renewed from the moment it is held until what `start` began has ended.
 */
export function lead({ values, key, logger, times = TIMES }: LeaseIn, start: Start): Closable {
  const me = randomUUID();
  let running: Running | null = null;
  let owned = false;
  let closed = false;
  let over = false;
  let timer: NodeJS.Timeout | null = null;

  const claim = async () => {
    const mine = (text: string | undefined) => (text === undefined || text === me ? me : undefined);
    owned = values === null || (await values.change(key, mine, times.leaseMs)) === me;
  };
  const step = async () => {
    // A term that was lost, or that could not start, ends before the next begins.
    if (running?.failed()) {
      await running.close();
      running = null;
    }
    if (closed && running === null) return;
    const asked = values === null ? Number.POSITIVE_INFINITY : performance.now();
    await claim();
    if (!owned) return running?.lose();
    if (running !== null) return running.renew(asked);
    if (!closed) running = beginTerm(start, asked, times, logger);
  };
  let turn: Promise<void> = Promise.resolve();
  const next = () => {
    turn = step()
      .catch((err) => {
        if (!closed) logger.warn({ err, lease: key }, 'a lease could not be renewed');
      })
      .finally(() => {
        if (!over) timer = setTimeout(next, times.everyMs).unref();
      });
  };
  next();
  return {
    async close() {
      closed = true;
      await running?.close();
      over = true;
      if (timer !== null) clearTimeout(timer);
      await turn;
      // Another process need not wait for the lease to end.
      if (owned) await values?.change(key, (text) => (text === me ? '' : undefined), 1).catch(() => {});
    },
  };
}

interface Running extends Closable {
  /** `asked`: when the renewal was sent, as `performance.now()`. */
  renew(asked: number): void;
  lose(): void;
  /** Whether it must end: the lease was lost, or `start` rejected. */
  failed(): boolean;
}

function beginTerm(start: Start, begun: number, times: LeaseTimes, logger: Logger): Running {
  const lost = new AbortController();
  let until = 0;
  let deadline: NodeJS.Timeout | undefined;
  let unstarted = false;
  let closing: Promise<void> | null = null;
  const renew = (asked: number) => {
    until = asked + times.leaseMs - times.marginMs;
    clearTimeout(deadline);
    if (until === Number.POSITIVE_INFINITY) return;
    deadline = setTimeout(() => lost.abort(), until - performance.now()).unref();
  };
  renew(begun);
  const term: Term = {
    lost: lost.signal,
    assertHeld() {
      if (performance.now() >= until) lost.abort();
      lost.signal.throwIfAborted();
    },
  };
  const started = start(term).catch((err) => {
    unstarted = true;
    // What it had begun ends, before it begins again.
    lost.abort();
    logger.warn({ err }, 'the work of the leading process could not start');
    return null;
  });
  const end = async () => {
    try {
      await (await started)?.close();
    } catch (err) {
      logger.warn({ err }, 'the work of the leading process could not end');
    }
    clearTimeout(deadline);
  };
  const close = () => {
    closing ??= end();
    return closing;
  };
  lost.signal.addEventListener('abort', () => void close(), { once: true });
  return { renew, close, lose: () => lost.abort(), failed: () => unstarted || lost.signal.aborted };
}
