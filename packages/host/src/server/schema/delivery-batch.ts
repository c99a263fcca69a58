import type { JsonObject } from '@culprit/core';
import type { DeliveryBatch } from '@culprit/core/internal/domain/delivery';
import { attachmentsSchema, DOORS } from '@culprit/core/internal/domain/event';
import { EVENT_ID, EVENT_ID_RULE } from '@culprit/core/internal/domain/event-id';
import { jsonObjectSchema } from '@culprit/core/internal/domain/json';
import { OUTCOMES, type Outcome } from '@culprit/core/internal/domain/outcome';
import { QUOTA_LIMITS, QUOTA_SCOPES } from '@culprit/core/internal/domain/quota';
import { named } from '@culprit/core/internal/domain/schema';
import { TRUSTS } from '@culprit/core/internal/domain/trust';
import * as v from 'valibot';
import {
  commandResultSchema,
  deadLetterSummarySchema,
  limitSettingsSchema,
  operatorCommandSchema,
} from '../../edge/operator/commands.js';

const id = v.pipe(v.string(), v.regex(EVENT_ID, EVENT_ID_RULE));

/** A delivery apart from its place in a batch. */
export const recordedDeliverySchema = v.object({
  event_id: id,
  project: v.pipe(v.string(), v.minLength(1, 'must not be empty'), v.maxLength(64, 'is too long')),
  door: v.picklist(DOORS),
  trust: v.optional(v.picklist(TRUSTS)),
  /** Names the sender's credential, for its quota. Absent in deliveries from older edges. */
  key: v.optional(v.pipe(v.string(), v.maxLength(256, 'is too long'))),
  tracker: v.string(),
  received_at: v.pipe(v.string(), v.isoTimestamp('must be an ISO 8601 time in UTC')),
  raw_sha256: v.string(),
  headers: v.record(v.string(), v.string()),
  attachments: attachmentsSchema,
  redactions: v.number(),
  trimmed: v.optional(v.array(v.string())),
  crash: v.custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  ),
});

const deliverySchema = v.object({
  sequence: v.pipe(v.number(), v.safeInteger('must be a whole number'), v.minValue(1, 'must be 1 or more')),
  ...recordedDeliverySchema.entries,
});

/** Body of `POST /internal/v1/deliveries`. A batch without deliveries only reports guard figures. */
export const deliveryBatchSchema = named(
  'DeliveryBatch',
  'Deliveries that an edge sends to core, in order.',
  v.object({
    edge: id,
    deliveries: v.pipe(v.array(deliverySchema), v.maxLength(5_000, 'has more than 5,000 deliveries')),
    /** The last watermark that the edge received. If core's is lower, it records nothing and returns its own. */
    after: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
    /** The edge's guard figures, as returned by `GET /api/v1/guard`. */
    guard: v.optional(jsonObjectSchema),
    limits: v.optional(limitSettingsSchema),
    dead_letters: v.optional(
      v.pipe(v.array(deadLetterSummarySchema), v.maxLength(100, 'has more than 100 entries')),
    ),
    /** Results of earlier commands. */
    done: v.optional(v.array(commandResultSchema)),
  }),
) satisfies v.GenericSchema<unknown, DeliveryBatch>;

export const recordResultSchema = named(
  'RecordResult',
  'What core recorded of a batch.',
  v.object({
    outcomes: v.array(
      v.object({
        sequence: v.number(),
        event_id: v.string(),
        outcome: v.picklist(Object.keys(OUTCOMES) as Outcome[]),
        run_id: v.nullable(v.string()),
        detail: v.nullable(v.string()),
        quota: v.optional(v.object({ scope: v.picklist(QUOTA_SCOPES), limit: v.picklist(QUOTA_LIMITS) })),
      }),
    ),
    watermark: v.number(),
    /** Commands for this edge, repeated until it reports their results. */
    commands: v.array(operatorCommandSchema),
  }),
);
