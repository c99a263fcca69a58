import type { Values } from '../ports/values.js';

const SWEEP_FROM = 1_000;

/** In-memory values, for tests and for connectors that run without an engine's storage. */
export function memoryValues(now: () => number = Date.now): Values {
  const kept = new Map<string, { readonly value: string; readonly until: number }>();
  const get = (name: string) => {
    const found = kept.get(name);
    if (found !== undefined && found.until <= now()) kept.delete(name);
    return kept.get(name)?.value;
  };
  let sweepAt = SWEEP_FROM;
  /** Expired values are also deleted if nobody reads them again. */
  const sweep = () => {
    for (const [name, { until }] of kept) if (until <= now()) kept.delete(name);
    sweepAt = Math.max(SWEEP_FROM, kept.size * 2);
  };
  const set = (name: string, value: string, ttlMs?: number) => {
    if (kept.size >= sweepAt) sweep();
    kept.set(name, { value, until: ttlMs === undefined ? Number.POSITIVE_INFINITY : now() + ttlMs });
  };
  return {
    get: async (name) => get(name),
    set: async (name, value, ttlMs) => set(name, value, ttlMs),
    change: async (name, decide, ttlMs) => {
      const wanted = decide(get(name));
      if (wanted !== undefined) set(name, wanted, ttlMs);
      return get(name);
    },
    delete: async (name) => void kept.delete(name),
  };
}
