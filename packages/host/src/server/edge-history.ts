import { addPoint, type EdgePoint } from '@culprit/core/internal/domain/edge-figures';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import type { GuardSnapshots } from './guard-snapshots.js';

/** Edges in memory, as in the guard snapshots. */
const EDGES = 32;

/** The figures of each edge in the last hour, in memory, for the board's charts. */
export interface EdgeHistory {
  all(): readonly { readonly edge: string; readonly points: readonly EdgePoint[] }[];
}

export function createEdgeHistory(guards: Pick<GuardSnapshots, 'watch'>): EdgeHistory {
  const edges = boundedMap<string, readonly EdgePoint[]>(EDGES);
  guards.watch((reports) => {
    for (const { edge, received_at, figures } of reports) {
      const points = edges.get(edge) ?? [];
      const next = addPoint(points, Date.parse(received_at), figures);
      if (next !== points) edges.set(edge, next);
    }
  });
  return { all: () => [...edges.entries()].map(([edge, points]) => ({ edge, points })) };
}
