import * as v from 'valibot';
import { errorSchema } from './run-error.js';
import { about, type Doc } from './schema.js';

/** To whom a published run can be handed: the code host's coding agent, or the receivers of a host's webhooks. */
export const HAND_OFF_TARGETS = ['github', 'webhook'] as const;
/** One of `HAND_OFF_TARGETS`. */
export type HandOffTarget = (typeof HAND_OFF_TARGETS)[number];

export const handOffSchema = v.object({
  to: v.picklist(HAND_OFF_TARGETS),
  by: about(v.string(), 'The reviewer.'),
  at: about(v.string(), 'When it was decided. ISO 8601.'),
  digest: about(v.string(), 'Of the signed draft.'),
  state: about(
    v.picklist(['pending', 'done', 'failed']),
    '`pending`: the code host is being asked. After an interruption Culprit asks again, unless the issue has comments.',
  ),
  error: errorSchema,
});
/** A reviewer's decision to hand a published run to a target. */
export interface HandOff extends Doc<typeof handOffSchema> {}

/** Prefix of the history entries: `hand_off.github`, `hand_off.webhook`, `hand_off.done`, `hand_off.failed`. */
export const HANDED = 'hand_off.';
