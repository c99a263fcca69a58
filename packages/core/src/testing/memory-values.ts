import type { Values } from '../ports/values.js';

/** In-memory values. */
export function memoryValues(now: () => number = Date.now): Values {
  const kept = new Map<string, { readonly value: string; readonly until: number }>();
  const get = (name: string) => {
    const found = kept.get(name);
    if (found !== undefined && found.until <= now()) kept.delete(name);
    return kept.get(name)?.value;
  };
  const set = (name: string, value: string, ttlMs?: number) => {
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
