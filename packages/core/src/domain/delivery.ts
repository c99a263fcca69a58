import * as v from 'valibot';
import { attachmentsSchema, DOORS } from './event.js';
import { EVENT_ID, EVENT_ID_RULE } from './event-id.js';
import type { JsonObject } from './json.js';
import { OUTCOMES, type Outcome } from './outcome.js';
import { QUOTA_LIMITS, QUOTA_SCOPES } from './quota.js';
import { about, type Doc, texts } from './schema.js';
import { TRUSTS } from './trust.js';

/** A request at a door, before any check. Exists only in memory. */
export interface RawDelivery {
  readonly method: string;
  /** Path without query, as requested. */
  readonly path: string;
  /** Named parts of the route, such as `project`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names; repeated headers are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as sent; for the SDK door after content decoding. */
  readonly body: Uint8Array;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Maximum bytes of one crash in a body with several, if the receiver limits it. */
  readonly itemBytes?: number;
}

const id = v.pipe(v.string(), v.regex(EVENT_ID, EVENT_ID_RULE));

/** A delivery apart from its place in a batch. */
export const recordedDeliverySchema = v.object({
  event_id: id,
  project: v.pipe(v.string(), v.minLength(1, 'must not be empty'), v.maxLength(64, 'is too long')),
  door: v.picklist(DOORS),
  trust: about(
    v.optional(v.picklist(TRUSTS)),
    'Absent in deliveries of older edges: the trust of the door applies.',
  ),
  key: about(
    v.optional(v.pipe(v.string(), v.maxLength(256, 'is too long'))),
    'Names the credential of the sender, without its secret. Absent in deliveries of older edges.',
  ),
  tracker: about(v.string(), 'The connector that verified and parsed it.'),
  received_at: v.pipe(v.string(), v.isoTimestamp('must be an ISO 8601 time in UTC')),
  raw_sha256: about(v.string(), 'SHA-256 of the body as sent, lower-case hex.'),
  headers: about(v.record(v.string(), v.string()), 'Allow-listed request headers.'),
  attachments: attachmentsSchema,
  redactions: v.number(),
  trimmed: about(v.optional(texts), 'What the door cut from the crash, for people. Absent: nothing.'),
  /** The sanitised crash. */
  crash: v.custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  ),
});

export const deliverySchema = v.object({
  sequence: about(
    v.pipe(v.number(), v.safeInteger('must be a whole number'), v.minValue(1, 'must be 1 or more')),
    'Ascending per edge, from 1, possibly with gaps.',
  ),
  ...recordedDeliverySchema.entries,
});
/** A sanitised delivery as the spool stores it and the edge forwards it. */
export interface Delivery extends Doc<typeof deliverySchema> {}

export const batchMembers = {
  edge: about(id, 'Generated once and stored with its spool.'),
  deliveries: v.pipe(v.array(deliverySchema), v.maxLength(5_000, 'has more than 5,000 deliveries')),
  after: about(
    v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
    'The last watermark that the edge received. If core’s is lower, it records nothing and returns its own.',
  ),
};
const batchSchema = v.object(batchMembers);
/** An ordered batch from one edge. */
export interface DeliveryBatch extends Doc<typeof batchSchema> {}

export const recordedSchema = v.object({
  sequence: v.number(),
  event_id: v.string(),
  outcome: v.picklist(Object.keys(OUTCOMES) as Outcome[]),
  run_id: v.nullable(v.string()),
  detail: v.nullable(v.string()),
  /** Set for `over_quota`. */
  quota: v.optional(v.object({ scope: v.picklist(QUOTA_SCOPES), limit: v.picklist(QUOTA_LIMITS) })),
});
/** The outcome of one recorded item. */
export interface Recorded extends Doc<typeof recordedSchema> {}
