import * as v from 'valibot';
import { named } from './schema.js';

/** A JSON value. Documents that Culprit stores or publishes contain nothing else. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** A JSON object; members that are `undefined` are omitted when serialised. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Any JSON, chosen by the sender. */
export const jsonValueSchema: v.GenericSchema<unknown, JsonValue> = named(
  'JsonValue',
  'Any JSON value.',
  v.custom<JsonValue>((value) => value !== undefined),
);
export const jsonObjectSchema: v.GenericSchema<unknown, JsonObject> = named(
  'JsonObject',
  'Any JSON object.',
  v.record(v.string(), jsonValueSchema),
);

/**
 * JSON with sorted members and no spaces: the same value gives the same text on every machine.
 * `undefined` members are omitted; -0 becomes 0; NaN and infinities throw.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('canonicalJson: not a JSON number');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object') {
    const members: string[] = [];
    for (const key of Object.keys(value).sort()) {
      const member = (value as Record<string, unknown>)[key];
      if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
    }
    return `{${members.join(',')}}`;
  }
  throw new TypeError(`canonicalJson: ${typeof value} is not JSON`);
}
