import type * as v from 'valibot';
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
 * Removes a person's id (mail address, user id, name) from every text of a value, as a whole word, also from the names of members.
 * `numbers`: a number may be an id, too.
 */
export function erasePerson<Value>(value: Value, id: string, numbers = true): Erased<Value> {
  const eraser = createEraser(id);
  return { value: eraser.free(value as JsonValue, numbers) as Value, places: eraser.places() };
}

/**
 * Removes them from a value of ours. Its numbers, codes, times and names of members stay; what a sender chose in it is erased as by
 * `erasePerson`. So are members that the schema does not know, but for their numbers.
 */
export function eraseTyped<Value>(value: Value, id: string, schema: v.GenericSchema): Erased<Value> {
  const eraser = createEraser(id);
  return { value: eraser.typed(value as JsonValue, schema as Shape) as Value, places: eraser.places() };
}

/** What is read of a schema. */
interface Shape {
  readonly type: string;
  readonly wrapped?: Shape;
  readonly item?: Shape;
  readonly value?: Shape;
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly options?: readonly Shape[];
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function createEraser(id: string) {
  let places = 0;
  const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\w@])${escaped}(?![\\w@])`, 'gi');
  const text = (from: string) => {
    const to = from.replace(pattern, ERASED);
    if (to !== from) places += 1;
    return to;
  };
  const free = (part: JsonValue, numbers: boolean): JsonValue => {
    if (typeof part === 'number') {
      if (!numbers || String(part) !== id) return part;
      places += 1;
      return ERASED;
    }
    if (typeof part === 'string') return text(part);
    if (Array.isArray(part)) return part.map((inner) => free(inner, numbers));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [text(name), free(inner as JsonValue, numbers)]),
    );
  };
  const typed = (part: JsonValue, shape: Shape): JsonValue => {
    const { type, wrapped, item, value } = shape;
    if (wrapped !== undefined) return typed(part, wrapped);
    if (typeof part === 'string')
      return type === 'picklist' || type === 'literal' || TIME.test(part) ? part : text(part);
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map((inner) => (item ? typed(inner, item) : free(inner, false)));
    if (type === 'custom') return free(part, true);
    if (type === 'record') return value?.type === 'number' ? part : free(part, true);
    const members = membersOf(shape);
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => {
        const known = Object.hasOwn(members, name) ? members[name] : undefined;
        return [name, known ? typed(inner as JsonValue, known) : free(inner as JsonValue, false)];
      }),
    );
  };
  return { free, typed, places: () => places };
}

/** The members of an object, in any of its variants. */
function membersOf({ entries, options = [] }: Shape): Readonly<Record<string, Shape>> {
  return entries ?? Object.assign({}, ...options.map(membersOf));
}
