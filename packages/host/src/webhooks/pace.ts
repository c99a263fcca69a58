import { performance } from 'node:perf_hooks';

/** Requests a second while the process has time, and while it is busy. */
const MAX = 200;
const LEAST = 50;
/** Requests that begin together. */
const BURST = 4;
/** Share of time in which the main thread works: above `BUSY` webhooks give way, below `FREE` they send more. */
const BUSY = 0.75;
const FREE = 0.6;
const LOOK_MS = 100;
/** By how much the rate changes with each look. */
const SLOWER = 0.6;
const FASTER = 1.25;

export interface PaceParts {
  /** Share of the time since the last call in which the main thread worked. */
  readonly utilisation: () => number;
  /** Milliseconds. */
  readonly now: () => number;
}

/** When webhooks may work, so that they take little time from what somebody waits for. */
export interface Pace {
  /** Takes one request's share of time, if there is one now. */
  take(): boolean;
  /** Milliseconds until the next share. */
  waitMs(): number;
}

/** A rate that falls while the main thread is busy, also with webhooks, and rises again. It never reaches 0. */
export function createPace(parts: PaceParts = ownParts()): Pace {
  const { utilisation, now } = parts;
  let rate = MAX;
  let shares = BURST;
  let filled = now();
  let looked = filled;
  const refill = () => {
    const at = now();
    if (at - looked >= LOOK_MS) {
      const share = utilisation();
      looked = at;
      if (share > BUSY) rate = Math.max(LEAST, rate * SLOWER);
      else if (share < FREE) rate = Math.min(MAX, rate * FASTER);
    }
    shares = Math.min(BURST, shares + ((at - filled) / 1_000) * rate);
    filled = at;
  };
  return {
    take() {
      refill();
      if (shares < 1) return false;
      shares -= 1;
      return true;
    },
    waitMs: () => Math.max(1, Math.ceil(((1 - shares) / rate) * 1_000)),
  };
}

function ownParts(): PaceParts {
  let before = performance.eventLoopUtilization();
  return {
    now: () => performance.now(),
    utilisation() {
      const current = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(current, before);
      before = current;
      return utilization;
    },
  };
}
