import type { JsonObject } from '@culprit/core';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';

/** Edges in memory; the one that reported longest ago is evicted first. */
const EDGES = 32;

export interface EdgeGuard {
  readonly edge: string;
  /** ISO 8601. */
  readonly received_at: string;
  /** As returned by the edge's `GET /api/v1/guard`. */
  readonly figures: JsonObject;
}

/** The latest guard figures of each edge. */
export interface GuardSnapshots {
  put(edge: string, figures: JsonObject): void;
  /** Adopts a report received by another core if it is newer. Returns whether it was. */
  adopt(guard: EdgeGuard): boolean;
  all(): readonly EdgeGuard[];
  watch(listener: (guards: readonly EdgeGuard[]) => void): () => void;
}

export function createGuardBook(now: () => number): GuardSnapshots {
  const edges = boundedMap<string, EdgeGuard>(EDGES);
  const listeners = new Set<(guards: readonly EdgeGuard[]) => void>();
  const all = () => [...edges.values()].reverse();
  const keep = (guard: EdgeGuard) => {
    edges.set(guard.edge, guard);
    for (const listener of listeners) listener(all());
  };
  return {
    put: (edge, figures) => keep({ edge, received_at: new Date(now()).toISOString(), figures }),
    adopt(guard) {
      const known = edges.get(guard.edge);
      if (known !== undefined && known.received_at >= guard.received_at) return false;
      keep(guard);
      return true;
    },
    all,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
