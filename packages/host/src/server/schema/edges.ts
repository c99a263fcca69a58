import { edgePointSchema } from '@culprit/core/internal/domain/edge-figures';
import { jsonObjectSchema } from '@culprit/core/internal/domain/json';
import { about, named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import {
  deadLetterSummarySchema,
  limitSettingsSchema,
  operatorActionSchema,
} from '../../edge/operator/commands.js';

/** A reviewer's command to an edge, and its result. */
export const edgeCommandSchema = named(
  'EdgeCommand',
  'A command to an edge, and its result.',
  v.object({
    id: v.string(),
    action: operatorActionSchema,
    /** Name of the reviewer. */
    by: v.string(),
    /** ISO 8601. */
    at: v.string(),
    status: v.picklist(['queued', 'done', 'failed', 'expired']),
    detail: v.nullable(v.string()),
  }),
);
export type EdgeCommand = Readonly<v.InferOutput<typeof edgeCommandSchema>>;

/** The figures of one edge in the response of `GET /api/v1/edges/history`. */
export const edgeHistorySchema = named(
  'EdgeHistory',
  'The figures of an edge in the last hour.',
  v.object({
    edge: v.string(),
    points: about(v.array(edgePointSchema), 'Of the last hour, oldest first, about ten seconds apart.'),
  }),
);

/** One edge in the response of `GET /api/v1/edges`. */
export const edgeSchema = named(
  'Edge',
  'An edge: its guard figures, limits, dead letters and commands.',
  v.object({
    edge: v.string(),
    received_at: v.string(),
    figures: jsonObjectSchema,
    limits: limitSettingsSchema,
    dead_letters: about(
      v.array(deadLetterSummarySchema),
      'The newest 100, newest last; `figures.dead_letters` counts all of them.',
    ),
    commands: about(v.array(edgeCommandSchema), 'Newest first.'),
  }),
);
export type EdgeEntry = v.InferOutput<typeof edgeSchema>;
