import type { JsonValue } from '@culprit/core';
import { CulpritError } from '@culprit/core/connector';
import * as v from 'valibot';
import { isJsonObject, readJsonObject } from '../shared/json-body.js';
import type { Attributes, Signal, TelemetrySink } from './telemetry.js';

const list = <const S extends v.GenericSchema>(item: S) => v.optional(v.nullish(v.array(item), []), []);
const text = v.optional(v.nullish(v.string(), ''), '');
/** 64-bit integers are decimal strings in JSON; numbers are accepted too. */
const whole = v.optional(
  v.pipe(v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d{1,20}$/))]), v.transform(Number)),
  0,
);
/** In OTLP/JSON ids are hex, not base64. */
const id = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^[0-9a-fA-F]*$/),
    v.transform((hex) => hex.toLowerCase()),
  ),
  '',
);
const attributes = v.pipe(
  list(v.object({ key: text, value: v.optional(v.unknown()) })),
  v.transform((pairs) => attributesOf(pairs)),
);
const resource = v.optional(v.object({ attributes }), { attributes: [] });
const scope = v.optional(v.object({ name: text }), { name: '' });

const logRecord = v.object({
  timeUnixNano: whole,
  observedTimeUnixNano: whole,
  severityNumber: whole,
  body: v.optional(v.unknown()),
  attributes,
  traceId: id,
  spanId: id,
});
const logsRequest = v.object({
  resourceLogs: list(
    v.object({ resource, scopeLogs: list(v.object({ scope, logRecords: list(logRecord) })) }),
  ),
});
const span = v.object({
  traceId: id,
  spanId: id,
  name: text,
  attributes,
  events: list(v.object({ timeUnixNano: whole, name: text, attributes })),
});
const traceRequest = v.object({
  resourceSpans: list(v.object({ resource, scopeSpans: list(v.object({ scope, spans: list(span) })) })),
});

/** Reads an export request in OTLP/JSON. Unknown fields are ignored. Throws `malformed` with the field's path. */
export function readJson(signal: Signal, body: Uint8Array, sink: TelemetrySink): void {
  const request = readJsonObject(body);
  if (signal === 'logs') {
    for (const { resource: from, scopeLogs } of checked(logsRequest, request).resourceLogs)
      for (const { scope: by, logRecords } of scopeLogs)
        for (const log of logRecords)
          sink.log(
            { resource: from.attributes, scope: by.name },
            {
              time_unix_nano: log.timeUnixNano,
              observed_time_unix_nano: log.observedTimeUnixNano,
              severity_number: log.severityNumber,
              body: anyValue(log.body),
              attributes: log.attributes,
              trace_id: log.traceId,
              span_id: log.spanId,
            },
          );
    return;
  }
  for (const { resource: from, scopeSpans } of checked(traceRequest, request).resourceSpans)
    for (const { scope: by, spans } of scopeSpans)
      for (const one of spans)
        sink.span(
          { resource: from.attributes, scope: by.name },
          {
            trace_id: one.traceId,
            span_id: one.spanId,
            name: one.name,
            attributes: one.attributes,
            events: one.events.map((event) => ({
              time_unix_nano: event.timeUnixNano,
              name: event.name,
              attributes: event.attributes,
            })),
          },
        );
}

function checked<S extends v.GenericSchema>(schema: S, request: unknown): v.InferOutput<S> {
  const found = v.safeParse(schema, request, { abortEarly: true });
  if (found.success) return found.output;
  const path = v.getDotPath(found.issues[0]);
  throw new CulpritError(
    'malformed',
    'The body is not a valid OTLP/JSON request.',
    path === null ? {} : { path },
  );
}

/** Deeper values of attributes are left out. */
const DEEPEST_VALUE = 8;

/** The first value of a repeated key is kept. */
function attributesOf(
  pairs: readonly { readonly key: string; readonly value?: unknown }[],
  depth = 0,
): Attributes {
  const found: Record<string, JsonValue> = {};
  for (const { key, value } of pairs)
    if (!Object.hasOwn(found, key) && key !== '__proto__') found[key] = anyValue(value, depth);
  return found;
}

/** An AnyValue: an object with one member, named after the type. */
function anyValue(value: unknown, depth = 0): JsonValue {
  if (!isJsonObject(value) || depth > DEEPEST_VALUE) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (typeof intValue === 'string' || typeof intValue === 'number') return numberOf(intValue);
  if (typeof doubleValue === 'string' || typeof doubleValue === 'number') return numberOf(doubleValue);
  if (isJsonObject(arrayValue)) return itemsOf(arrayValue.values).map((item) => anyValue(item, depth + 1));
  if (isJsonObject(kvlistValue)) {
    const pairs = itemsOf(kvlistValue.values).filter(isJsonObject);
    return {
      ...attributesOf(
        pairs.map(({ key, value: inner }) => ({ key: typeof key === 'string' ? key : '', value: inner })),
        depth + 1,
      ),
    };
  }
  return typeof bytesValue === 'string' ? bytesValue : null;
}

/** `NaN` and infinities are texts, as in the protobuf JSON mapping. */
function numberOf(value: string | number): JsonValue {
  const number = Number(value);
  return Number.isFinite(number) ? number : String(value);
}

const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
