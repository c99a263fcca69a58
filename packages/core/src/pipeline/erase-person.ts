import type { JsonValue } from '../domain/json.js';

/** Replaces an erased name or reason. */
export const ERASED = '[erased]';
/** Shorter ids would match inside other words. */
export const PERSON_CHARS = 3;

/**
 * Removes a person's id (mail address, user id, name) from every text of a value, as a whole word. `places` is the number
 * of texts that contained it.
 */
export function erasePerson<Value>(
  value: Value,
  id: string,
): { readonly value: Value; readonly places: number } {
  let places = 0;
  const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\w@])${escaped}(?![\\w@])`, 'gi');
  const walk = (part: JsonValue): JsonValue => {
    if (typeof part === 'number') return String(part) === id ? erased() : part;
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
