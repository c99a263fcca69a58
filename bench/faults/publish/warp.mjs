// Preloaded into a program (node --import): its time runs WARP_SCALE times faster from WARP_ORIGIN (real ms) on, and is
// WARP_AHEAD ms ahead. Clock and timers agree, so policies that wait for minutes run in seconds, unchanged. Request timeouts
// shrink only by WARP_TIMEOUTS: work takes real time, and a busy machine must not look like an unreachable GitHub.
const timeouts = Number(process.env.WARP_TIMEOUTS ?? process.env.WARP_SCALE ?? 1);
const scale = Number(process.env.WARP_SCALE ?? 1);
const origin = Number(process.env.WARP_ORIGIN ?? Date.now());
const ahead = Number(process.env.WARP_AHEAD ?? 0);
const real = { now: Date.now, setTimeout, setInterval, Date };
const now = () => Math.round(origin + (real.now() - origin) * scale + ahead);

class WarpedDate extends real.Date {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }
  static now() {
    return now();
  }
}
globalThis.Date = WarpedDate;
const shorter = (timer) => Object.assign((work, ms = 0, ...args) => timer(work, ms / scale, ...args), timer);
globalThis.setTimeout = shorter(real.setTimeout);
globalThis.setInterval = shorter(real.setInterval);
AbortSignal.timeout = (ms) => {
  const controller = new AbortController();
  const late = () =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  real.setTimeout(late, ms / timeouts).unref();
  return controller.signal;
};
