import { signal } from '@preact/signals';
import type { EdgeFigures } from '../../live-client/index.js';

/** Points in a chart; older ones are dropped. */
const POINTS = 120;

export interface Point {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly accepted: number;
  readonly refused: number;
  readonly depth: number;
  readonly oldestMs: number;
}

/** The figures of each edge since the page was opened, oldest first. */
export const guardHistory = signal<ReadonlyMap<string, readonly Point[]>>(new Map());

export function noteGuards(figures: readonly EdgeFigures[]): void {
  const next = new Map(guardHistory.value);
  for (const { edge, received_at, figures: latest } of figures) {
    const points = next.get(edge) ?? [];
    const at = Date.parse(received_at);
    if (points.at(-1)?.at === at) continue;
    next.set(edge, [...points, pointOf(at, latest)].slice(-POINTS));
  }
  guardHistory.value = next;
}

function pointOf(at: number, figures: EdgeFigures['figures']): Point {
  let accepted = 0;
  let refused = 0;
  for (const door of Object.values(objectOf(figures.outcomes))) {
    for (const [name, count] of Object.entries(objectOf(door))) {
      if (name === 'accepted') accepted += numberOf(count);
      else refused += numberOf(count);
    }
  }
  const spool = objectOf(figures.spool);
  return { at, accepted, refused, depth: numberOf(spool.depth), oldestMs: numberOf(spool.oldest_age_ms) };
}

/** An edge of any version sends these figures, so a value of an unexpected type counts as empty. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
