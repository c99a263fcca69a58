import { randomUUID } from 'node:crypto';
import type { Logger } from '@culprit/core';
import type { Values } from '@culprit/core/internal/ports/values';

const LEADER = 'webhook:leader';

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

interface Closable {
  close(): Promise<void>;
}
type Start = (term: Term) => Promise<Closable>;

/**
 * Keeps exactly one of the processes on a shared storage working. `start` is called while this one leads. The lease is renewed from
 * the moment it is held until what `start` began has ended.
 */
export function lead(values: Values, start: Start, logger: Logger, times = TIMES): Closable {
  const me = randomUUID();
  let running: Running | null = null;
  let owned = false;
  let closed = false;
  let over = false;
  let timer: NodeJS.Timeout | null = null;

  const claim = async () => {
    const owner = await values.change(
      LEADER,
      (text) => (text === undefined || text === me ? me : undefined),
      times.leaseMs,
    );
    owned = owner === me;
  };
  const step = async () => {
    // A term that was lost, or that could not start, ends before the next begins.
    if (running?.failed()) {
      await running.close();
      running = null;
    }
    if (closed && running === null) return;
    const asked = performance.now();
    await claim();
    if (!owned) return running?.lose();
    if (running !== null) return running.renew(asked);
    if (!closed) running = beginTerm(start, asked, times, logger);
  };
  let turn: Promise<void> = Promise.resolve();
  const next = () => {
    turn = step()
      .catch((err) => {
        if (!closed) logger.warn({ err }, 'the lease of webhook deliveries could not be renewed');
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
      if (owned) await values.change(LEADER, (text) => (text === me ? '' : undefined), 1).catch(() => {});
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
    logger.warn({ err }, 'webhooks could not start');
    return null;
  });
  const end = async () => {
    try {
      await (await started)?.close();
    } catch (err) {
      logger.warn({ err }, 'webhooks could not end');
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
