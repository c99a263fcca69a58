import * as v from 'valibot';
import { jsonObjectSchema } from './json.js';
import { about, count, type Doc, named, text, texts } from './schema.js';
import { TRUSTS } from './trust.js';

/** All severities, most severe first. */
export const LEVELS = ['fatal', 'error', 'warning', 'info', 'debug'] as const;
/** The severity of an event. */
export type Level = (typeof LEVELS)[number];

/** The doors of the edge, and the two ways in without one. */
export const DOORS = ['webhook', 'native', 'sdk', 'embedded'] as const;
/** How a delivery was received: webhook, native or SDK. */
export type Door = (typeof DOORS)[number];

const frameSchema = v.object({
  file: about(text, 'As reported: relative, absolute or a URL; `null` if the platform has none (native).'),
  abs_path: about(text, 'The absolute path or URL where it differs from `file`.'),
  module: text,
  package: about(text, 'The binary, assembly or package that holds the code.'),
  function: text,
  line: about(count, '1-based.'),
  column: about(count, '1-based.'),
  in_app: about(v.nullable(v.boolean()), 'True for the project’s own code; `null` if not reported.'),
  platform: text,
  context_line: text,
  pre_context: texts,
  post_context: texts,
  vars: v.nullable(jsonObjectSchema),
  instruction_addr: text,
  debug_id: about(
    v.optional(v.string()),
    'Identifies the build of a JavaScript file and its source map, lower-case with dashes. Absent if not reported.',
  ),
});
/**
 * One line of a stack, as the platform reported it, sanitised and trimmed. Frames are oldest first:
 * the last frame threw. Members that the sender omitted are `null`.
 */
export interface Frame extends Doc<typeof frameSchema> {}

const exceptionSchema = v.object({
  type: text,
  value: text,
  module: text,
  handled: about(
    v.nullable(v.boolean()),
    'False if it ended the program or the request; `null` if not reported.',
  ),
  synthetic: about(
    v.boolean(),
    'True if the reporter made up the type; it is then not used for titles or grouping.',
  ),
  mechanism: v.nullable(jsonObjectSchema),
  frames: about(v.array(frameSchema), 'Oldest first: the last frame threw.'),
});
/** One exception of a chain. In events, the last exception in the list was raised last (outermost). */
export interface CrashException extends Doc<typeof exceptionSchema> {}

export const attachmentsSchema = v.array(v.object({ name: v.string(), bytes: v.number() }));

export const eventSchema = named(
  'Event',
  'One normalised crash.',
  v.object({
    event_id: v.string(),
    project: v.string(),
    door: v.picklist(DOORS),
    tracker: about(
      v.optional(v.string()),
      'Id of the connector that received it. Absent in events of older versions.',
    ),
    trust: about(
      v.optional(v.picklist(TRUSTS)),
      'Absent in events of older versions: the trust of the door applies.',
    ),
    timestamp: about(
      v.string(),
      'When it crashed, by the reporter’s clock corrected where known. ISO 8601, UTC.',
    ),
    received_at: about(v.string(), 'When the edge accepted it. ISO 8601, UTC.'),
    level: v.picklist(LEVELS),
    platform: v.string(),
    message: text,
    message_template: about(text, 'The message before its parameters were filled in, if reported.'),
    exceptions: v.array(exceptionSchema),
    release: text,
    dist: text,
    environment: text,
    commit: about(text, 'The commit that was running, if reported explicitly.'),
    server_name: text,
    transaction: text,
    logger: text,
    tags: v.record(v.string(), v.string()),
    user: v.nullable(jsonObjectSchema),
    request: v.nullable(jsonObjectSchema),
    contexts: jsonObjectSchema,
    breadcrumbs: v.array(jsonObjectSchema),
    /** Also contains every unknown member. */
    extra: jsonObjectSchema,
    modules: v.record(v.string(), v.string()),
    fingerprint: about(v.nullable(texts), 'The reporter’s own grouping key; `null` if it sent none.'),
    sdk: v.nullable(v.object({ name: v.string(), version: v.string() })),
    attachments: about(attachmentsSchema, 'What was received with the crash and not stored.'),
    trimmed: about(texts, 'Paths of members that were truncated.'),
    redactions: about(v.number(), 'Values that the sanitiser redacted.'),
    raw_sha256: about(
      text,
      'SHA-256 of the body as sent, lower-case hex; `null` if there was none (embedded).',
    ),
  }),
);
/** One normalised crash, in the same shape for every door and platform. Frozen as `culprit.event/1`. */
export interface Event extends Doc<typeof eventSchema> {}
