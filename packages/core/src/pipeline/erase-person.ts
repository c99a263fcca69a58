import type { JsonValue } from '../domain/json.js';

/** Replaces an erased name or reason. */
export const ERASED = '[erased]';
/** Shorter ids would match inside other words. */
export const PERSON_CHARS = 3;

/** A value without a person, and the number of its texts that named them. */
export interface Erased<Value> {
  readonly value: Value;
  readonly places: number;
}

/**
 * Removes a person's id (mail address, user id, name) from every text of a value, as a whole word. `numbers`: a number may be
 * an id, too.
 */
export function erasePerson<Value>(value: Value, id: string, numbers = true): Erased<Value> {
  let places = 0;
  const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\w@])${escaped}(?![\\w@])`, 'gi');
  const walk = (part: JsonValue): JsonValue => {
    if (typeof part === 'number') return numbers && String(part) === id ? erased() : part;
    if (typeof part === 'string') return text(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [text(name), walk(inner as JsonValue)]),
    );
  };
  const erased = () => {
    places += 1;
    return ERASED;
  };
  const text = (from: string) => {
    const to = from.replace(pattern, ERASED);
    if (to !== from) places += 1;
    return to;
  };
  return { value: walk(value as JsonValue) as Value, places };
}
