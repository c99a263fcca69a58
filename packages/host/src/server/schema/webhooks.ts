import { LEVELS } from '@culprit/core/internal/domain/event';
import { about, named } from '@culprit/core/internal/domain/schema';
import { EVENT_NAMES, TEST_EVENT } from '@culprit/core/internal/domain/webhook-events';
import * as v from 'valibot';
import { ATTEMPT_CODES, type AttemptCode } from '../../webhooks/send-message.js';
import { settingsSchema } from '../../webhooks/subscription.js';

const code = v.picklist(Object.keys(ATTEMPT_CODES) as AttemptCode[]);
const status = about(v.nullable(v.number()), 'Of the response; `null`: none.');

export const deadDeliverySchema = v.object({
  id: about(v.string(), 'The `webhook-id`.'),
  type: v.picklist([...EVENT_NAMES, TEST_EVENT]),
  at: about(v.string(), 'When it was given up.'),
  attempts: v.number(),
  code,
  status,
});

/** A webhook, as the API shows it. */
export const webhookSchema = named(
  'Webhook',
  'An outgoing webhook, without its secret.',
  v.object({
    ...settingsSchema.entries,
    projects: v.array(v.string()),
    levels: v.array(v.picklist(LEVELS)),
    environments: v.array(v.string()),
    enabled: v.boolean(),
    id: v.string(),
    created_at: v.string(),
    created_by: v.string(),
    turned_off: about(
      v.nullable(v.literal('gone')),
      '`gone`: the receiver answered 410. `null`: `enabled` was set by a reviewer.',
    ),
    last_success_at: v.nullable(v.string()),
    last_failure: v.nullable(v.object({ at: v.string(), code, status })),
    failing_since: about(v.nullable(v.string()), 'The first failure after the last success.'),
    dead: about(v.number(), 'Deliveries that were given up in the last 14 days; the newest 100 are kept.'),
  }),
);
export type WebhookInfo = v.InferOutput<typeof webhookSchema>;
export type DeadDeliveryInfo = v.InferOutput<typeof deadDeliverySchema>;

export const attemptSchema = v.object({
  ok: v.boolean(),
  status,
  code,
  ms: v.number(),
  detail: about(v.string(), 'What the code means.'),
});

export const secretSchema = v.object({
  secret: about(v.string(), '`whsec_…`. It is not shown again.'),
  previous_until: about(
    v.nullable(v.string()),
    'Until then the previous secret signs, too. `null`: there was none.',
  ),
});
