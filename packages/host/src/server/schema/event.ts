import type { Event, JsonObject, JsonValue } from '@culprit/core';
import { DOORS, LEVELS } from '@culprit/core/internal/domain/event';
import { TRUSTS } from '@culprit/core/internal/domain/trust';
import * as v from 'valibot';

const text = v.nullable(v.string());
const texts = v.array(v.string());

/** Any JSON, chosen by the sender. */
export const jsonValueSchema: v.GenericSchema<unknown, JsonValue> = v.pipe(
  v.custom<JsonValue>((value) => value !== undefined),
  v.description('Any JSON value.'),
);
export const jsonObjectSchema: v.GenericSchema<unknown, JsonObject> = v.record(v.string(), jsonValueSchema);

const frameSchema = v.object({
  file: text,
  abs_path: text,
  module: text,
  package: text,
  function: text,
  line: v.nullable(v.number()),
  column: v.nullable(v.number()),
  in_app: v.nullable(v.boolean()),
  platform: text,
  context_line: text,
  pre_context: texts,
  post_context: texts,
  vars: v.nullable(jsonObjectSchema),
  instruction_addr: text,
  debug_id: v.optional(v.string()),
});

const exceptionSchema = v.object({
  type: text,
  value: text,
  module: text,
  handled: v.nullable(v.boolean()),
  synthetic: v.boolean(),
  mechanism: v.nullable(jsonObjectSchema),
  frames: v.pipe(v.array(frameSchema), v.description('Oldest first: the last frame threw.')),
});

export const attachmentsSchema = v.array(v.object({ name: v.string(), bytes: v.number() }));

/** `culprit.event/1`. */
export const eventSchema = v.object({
  event_id: v.string(),
  project: v.string(),
  door: v.picklist(DOORS),
  tracker: v.optional(v.string()),
  trust: v.optional(v.picklist(TRUSTS)),
  timestamp: v.string(),
  received_at: v.string(),
  level: v.picklist(LEVELS),
  platform: v.string(),
  message: text,
  message_template: text,
  exceptions: v.array(exceptionSchema),
  release: text,
  dist: text,
  environment: text,
  commit: text,
  server_name: text,
  transaction: text,
  logger: text,
  tags: v.record(v.string(), v.string()),
  user: v.nullable(jsonObjectSchema),
  request: v.nullable(jsonObjectSchema),
  contexts: jsonObjectSchema,
  breadcrumbs: v.array(jsonObjectSchema),
  extra: jsonObjectSchema,
  modules: v.record(v.string(), v.string()),
  fingerprint: v.nullable(texts),
  sdk: v.nullable(v.object({ name: v.string(), version: v.string() })),
  attachments: attachmentsSchema,
  trimmed: texts,
  redactions: v.number(),
  raw_sha256: text,
}) satisfies v.GenericSchema<unknown, Event>;
