import * as v from 'valibot';
import type { JsonObject, JsonValue } from './json.js';

/** What a schema describes, read-only at every level. */
export type Doc<Schema extends v.GenericSchema> = Immutable<v.InferOutput<Schema>>;

type Immutable<T> = JsonValue extends T
  ? T
  : JsonObject extends T
    ? T
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

/** A member with its meaning. */
/* @__NO_SIDE_EFFECTS__ */
export function about<const Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.pipe(schema, v.description(text));
}

/** A document with a name of its own in the API and in the types of `@culprit/client`. */
/* @__NO_SIDE_EFFECTS__ */
export function named<const Schema extends v.GenericSchema>(name: string, text: string, schema: Schema) {
  return v.pipe(schema, v.title(name), v.description(text));
}

export const text = v.nullable(v.string());
export const count = v.nullable(v.number());
export const texts = v.array(v.string());
