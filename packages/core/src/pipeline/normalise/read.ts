import type { JsonObject, JsonValue } from '../../domain/json.js';

export type Json = JsonValue | undefined;

export const asObject = (value: Json): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;

export const asList = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

/** A non-blank string, or a number as text; otherwise `null`. */
export function asText(value: Json): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}

/** A boolean, or `null`. */
export const asBoolean = (value: Json): boolean | null => (typeof value === 'boolean' ? value : null);

/** A line or column: a positive integer, also written as text. */
export function asPosition(value: Json): number | null {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** The first non-blank member, by names in order of precedence. */
export function firstText(object: JsonObject, ...names: readonly string[]): string | null {
  for (const name of names) {
    const text = asText(object[name]);
    if (text !== null) return text;
  }
  return null;
}

/** `{values: […]}`, a bare list, or one object on its own. */
export function asValues(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  const object = asObject(value);
  if (object === null) return [];
  if ('values' in object) return asList(object.values);
  return Object.keys(object).length > 0 ? [object] : [];
}

/** An object or a list of pairs as entries. Keys are text; invalid pairs are dropped. */
export function asEntries(value: Json): readonly (readonly [string, Json])[] {
  if (!Array.isArray(value)) return Object.entries(asObject(value) ?? {});
  return value.flatMap((pair: Json): [string, Json][] => {
    const [key, member] = asList(pair);
    const name = asText(key);
    return name === null ? [] : [[name, member]];
  });
}

/** The objects of a list; other items are dropped. */
export const objectsOf = (values: readonly Json[]): readonly JsonObject[] =>
  values.map(asObject).filter((value) => value !== null);
