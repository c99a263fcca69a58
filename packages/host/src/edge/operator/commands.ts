import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { EDGE_LIMITS, type EdgeLimits, highest } from '../limits.js';

const LIMIT_NAMES = Object.keys(EDGE_LIMITS) as [keyof EdgeLimits, ...(keyof EdgeLimits)[]];
const MAX_LETTERS = 1_000;

const sequences = about(
  v.union([
    v.literal('all'),
    v.pipe(
      v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
      v.minLength(1, 'must name at least one'),
      v.maxLength(MAX_LETTERS, `must name at most ${MAX_LETTERS}`),
    ),
  ]),
  'Sequence numbers of dead letters, or `all`.',
);
const limit = about(
  v.pipe(v.number(), v.safeInteger('must be a whole number'), v.minValue(1, 'must be above 0')),
  '`null` restores the configured value.',
);

/** The commands of an operator, received in core's replies or in files next to the spool. */
export const operatorActionSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('resend'), sequences }),
  v.strictObject({ kind: v.literal('drop'), sequences }),
  v.strictObject({
    kind: about(v.literal('test'), 'Sends a test crash to the edge’s own native door.'),
  }),
  v.strictObject({
    kind: v.literal('limits'),
    values: v.pipe(
      v.record(v.picklist(LIMIT_NAMES), v.nullable(limit)),
      v.rawCheck(({ dataset, addIssue }) => {
        for (const [name, value] of Object.entries(dataset.typed ? dataset.value : {})) {
          if ((value ?? 0) > highest(name)) addIssue({ message: `${name} is at most ${highest(name)}` });
        }
      }),
    ),
  }),
]);
export type OperatorAction = v.InferOutput<typeof operatorActionSchema>;

const commandId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be a command’s id'));

export const operatorCommandSchema = v.object({ id: commandId, action: operatorActionSchema });
export type OperatorCommand = v.InferOutput<typeof operatorCommandSchema>;

export const commandResultSchema = v.object({
  id: commandId,
  ok: v.boolean(),
  /** Text for the operator. */
  detail: v.pipe(v.string(), v.maxLength(500)),
});
export type CommandResult = v.InferOutput<typeof commandResultSchema>;

/** A dead letter without its crash. */
export const deadLetterSummarySchema = v.object({
  sequence: v.number(),
  /** ISO 8601. */
  at: v.string(),
  event_id: v.string(),
  project: v.string(),
  door: v.string(),
  /** Why core rejected it. */
  detail: v.string(),
});
export type DeadLetterSummary = v.InferOutput<typeof deadLetterSummarySchema>;

/** Every limit that can be changed: its current and its configured value. */
export const limitSettingsSchema = v.record(
  v.string(),
  v.object({ value: v.number(), configured: v.number() }),
);
export type LimitSettings = v.InferOutput<typeof limitSettingsSchema>;
