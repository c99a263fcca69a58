import type { Values } from '../ports/values.js';

const SWEEP_FROM = 1_000;

/** Values that last as long as this process: for tests, and for a connector that runs without an engine's storage. */
export function memoryValues(now: () => number = Date.now): Values {
  const kept = new Map<string, { readonly value: string; readonly until: number }>();
  const get = (name: string) => {
    const found = kept.get(name);
    if (found !== undefined && found.until <= now()) kept.delete(name);
    return kept.get(name)?.value;
  };
  let sweepAt = SWEEP_FROM;
  /** Values that nobody asks for again go, too. */
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
