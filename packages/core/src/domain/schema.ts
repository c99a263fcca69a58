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

/** A schema with a text. Short, unlike the type of the pipe, which repeats the schema: declarations have it at every level. */
export type Described<Schema> = Schema & { readonly pipe: readonly unknown[] };

/** A member with its meaning. */
/* @__NO_SIDE_EFFECTS__ */
export function about<const Schema extends v.GenericSchema>(schema: Schema, text: string): Described<Schema> {
  return v.pipe(schema, v.description(text)) as unknown as Described<Schema>;
}

/** A document with a name of its own in the API and in the types of `@culprit/client`. */
/* @__NO_SIDE_EFFECTS__ */
export function named<const Schema extends v.GenericSchema>(
  name: string,
  text: string,
  schema: Schema,
): Described<Schema> {
  return v.pipe(schema, v.title(name), v.description(text)) as unknown as Described<Schema>;
}

export const text = v.nullable(v.string());
export const count = v.nullable(v.number());
export const texts = v.array(v.string());
