import * as v from 'valibot';
import type { JsonObject } from './json.js';
import { about, type Doc } from './schema.js';

export const edgePointSchema = v.object({
  at: about(v.number(), 'When core received them, in ms since 1970.'),
  accepted: about(v.number(), 'Crashes accepted since the edge started.'),
  refused: v.number(),
  depth: about(v.number(), 'Deliveries in the spool.'),
  oldest_ms: about(v.number(), 'Age of the oldest delivery in the spool.'),
});
/** The figures of an edge at one time. */
export interface EdgePoint extends Doc<typeof edgePointSchema> {}

/** How long points are kept. */
const KEPT_MS = 60 * 60_000;
/** The time between two points. */
const EVERY_MS = 10_000;

/** Adds the latest figures. The last point is always the latest; those before it are at least ten seconds apart. */
export function addPoint(
  points: readonly EdgePoint[],
  at: number,
  figures: JsonObject,
): readonly EdgePoint[] {
  const last = points.at(-1);
  if (last !== undefined && last.at >= at) return points;
  const before = points.at(-2);
  const dense = last !== undefined && before !== undefined && last.at - before.at < EVERY_MS;
  const kept = (dense ? points.slice(0, -1) : points).filter((point) => point.at > at - KEPT_MS);
  return [...kept, pointOf(at, figures)];
}

function pointOf(at: number, figures: JsonObject): EdgePoint {
  let accepted = 0;
  let refused = 0;
  for (const door of Object.values(objectOf(figures.outcomes))) {
    for (const [name, count] of Object.entries(objectOf(door))) {
      if (name === 'accepted') accepted += numberOf(count);
      else refused += numberOf(count);
    }
  }
  const spool = objectOf(figures.spool);
  return { at, accepted, refused, depth: numberOf(spool.depth), oldest_ms: numberOf(spool.oldest_age_ms) };
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
