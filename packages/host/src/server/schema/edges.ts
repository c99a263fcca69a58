import { jsonObjectSchema } from '@culprit/core/internal/domain/json';
import { named } from '@culprit/core/internal/domain/schema';
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
    points: v.pipe(
      v.array(
        v.object({
          at: v.pipe(v.number(), v.description('When core received them, in ms since 1970.')),
          accepted: v.pipe(v.number(), v.description('Crashes accepted since the edge started.')),
          refused: v.number(),
          depth: v.pipe(v.number(), v.description('Deliveries in the spool.')),
          oldest_ms: v.pipe(v.number(), v.description('Age of the oldest delivery in the spool.')),
        }),
      ),
      v.description('Of the last hour, oldest first, about ten seconds apart.'),
    ),
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
    dead_letters: v.pipe(
      v.array(deadLetterSummarySchema),
      v.description('The newest 100, newest last; `figures.dead_letters` counts all of them.'),
    ),
    commands: v.pipe(v.array(edgeCommandSchema), v.description('Newest first.')),
  }),
);
export type EdgeEntry = v.InferOutput<typeof edgeSchema>;
