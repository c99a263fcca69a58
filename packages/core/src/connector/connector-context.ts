import { CulpritError } from '../errors/error.js';
import type { ConnectorContext } from './connector.js';
import type { Registry } from './registry.js';

/** What a connector gets at setup. `started` returns `null` until all connectors are set up. */
export function connectorContext(
  id: string,
  own: Pick<ConnectorContext, 'fetch' | 'logger' | 'signal'>,
  started: () => Registry | null,
): ConnectorContext {
  const values = () => {
    const found = started()?.values;
    if (found !== undefined) return found;
    const detail = 'The engine is still starting. Use values in a port’s methods, not in setup.';
    throw new CulpritError('storage_unavailable', detail);
  };
  const named = (key: string) => `connector:${id}:${key}`;
  return {
    ...own,
    values: {
      get: async (key) => values().get(named(key)),
      set: async (key, value, ttlMs) => values().set(named(key), value, ttlMs),
      change: async (key, decide, ttlMs) => values().change(named(key), decide, ttlMs),
      delete: async (key) => values().delete(named(key)),
    },
    cache: () => started()?.cache ?? null,
  };
}
