import { batchMembers, recordedSchema } from '@culprit/core/internal/domain/delivery';
import { jsonObjectSchema } from '@culprit/core/internal/domain/json';
import { named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import {
  commandResultSchema,
  deadLetterSummarySchema,
  limitSettingsSchema,
  operatorCommandSchema,
} from '../../edge/operator/commands.js';

/** Body of `POST /internal/v1/deliveries`. A batch without deliveries only reports guard figures. */
export const deliveryBatchSchema = named(
  'DeliveryBatch',
  'Deliveries that an edge sends to core, in order.',
  v.object({
    ...batchMembers,
    /** The edge's guard figures, as returned by `GET /api/v1/guard`. */
    guard: v.optional(jsonObjectSchema),
    limits: v.optional(limitSettingsSchema),
    dead_letters: v.optional(
      v.pipe(v.array(deadLetterSummarySchema), v.maxLength(100, 'has more than 100 entries')),
    ),
    /** Results of earlier commands. */
    done: v.optional(v.array(commandResultSchema)),
  }),
);

export const recordResultSchema = named(
  'RecordResult',
  'What core recorded of a batch.',
  v.object({
    outcomes: v.array(recordedSchema),
    watermark: v.number(),
    /** Commands for this edge, repeated until it reports their results. */
    commands: v.array(operatorCommandSchema),
  }),
);
