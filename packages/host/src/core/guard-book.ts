import type { JsonObject } from '@culprit/core';

/** Edges remembered; the one heard of longest ago is forgotten first. */
const EDGES = 32;

export interface EdgeGuard {
  readonly edge: string;
  /** ISO 8601. */
  readonly received_at: string;
  /** As the edge's own `GET /api/v1/guard` shows them. */
  readonly figures: JsonObject;
}

/** The latest guard figures of each edge. */
export interface GuardBook {
  put(edge: string, figures: JsonObject): void;
  all(): readonly EdgeGuard[];
  watch(listener: (guards: readonly EdgeGuard[]) => void): () => void;
}

export function createGuardBook(now: () => number): GuardBook {
  const edges = new Map<string, EdgeGuard>();
  const listeners = new Set<(guards: readonly EdgeGuard[]) => void>();
  const all = () => [...edges.values()];
  return {
    put(edge, figures) {
      edges.delete(edge);
      const oldest = edges.size >= EDGES ? edges.keys().next().value : undefined;
      if (oldest !== undefined) edges.delete(oldest);
      edges.set(edge, { edge, received_at: new Date(now()).toISOString(), figures });
      for (const listener of listeners) listener(all());
    },
    all,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
