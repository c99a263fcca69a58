import { CulpritError } from '../errors/error.js';
import type { Values } from '../ports/values.js';

/** The engine's storage, namespaced by connector. `storage` returns `null` until all connectors are set up. */
export function ownValues(id: string, storage: () => Values | null): Values {
  const ready = () => {
    const values = storage();
    if (values !== null) return values;
    const detail = 'The engine is still starting. Use values in a port’s methods, not in setup.';
    throw new CulpritError('storage_unavailable', detail);
  };
  const own = (key: string) => `connector:${id}:${key}`;
  return {
    get: async (key) => ready().get(own(key)),
    set: async (key, value, ttlMs) => ready().set(own(key), value, ttlMs),
    change: async (key, decide, ttlMs) => ready().change(own(key), decide, ttlMs),
    delete: async (key) => ready().delete(own(key)),
  };
}
