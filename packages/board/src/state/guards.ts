import type { EdgeFigures } from '@culprit/client/live';
import { addPoint, type EdgePoint } from '@culprit/core/internal/domain/edge-figures';
import { signal } from '@preact/signals';
import { api } from '../api.js';

/** The figures of each edge in the last hour, oldest first. */
export const guardHistory = signal<ReadonlyMap<string, readonly EdgePoint[]>>(new Map());

/** When this page heard of each edge's latest report, by its own clock, in ms since 1970. */
export const heardAt = signal<ReadonlyMap<string, { readonly report: string; readonly at: number }>>(
  new Map(),
);

export function noteGuards(figures: readonly EdgeFigures[]): void {
  noteTimes(figures);
  const next = new Map(guardHistory.value);
  for (const { edge, received_at, figures: latest } of figures) {
    next.set(edge, addPoint(next.get(edge) ?? [], Date.parse(received_at), latest));
  }
  guardHistory.value = next;
}

/** Later reports are as old as the page knows them; only the first one is as old as core's clock says. */
function noteTimes(figures: readonly EdgeFigures[]): void {
  heardAt.value = new Map(
    figures.map(({ edge, received_at: report }) => {
      const known = heardAt.value.get(edge);
      if (known?.report === report) return [edge, known];
      return [edge, { report, at: known === undefined ? Date.parse(report) : Date.now() }];
    }),
  );
}

/** Reads what core has kept from before this page was opened. */
export async function readGuardHistory(): Promise<void> {
  const next = new Map(guardHistory.value);
  for (const { edge, points } of (await api.getEdgeHistory()).edges) {
    const since = points.at(-1)?.at ?? 0;
    next.set(edge, [...points, ...(next.get(edge) ?? []).filter(({ at }) => at > since)]);
  }
  guardHistory.value = next;
}
