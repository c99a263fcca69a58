import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import type { HttpRequest } from '../../http/message.js';
import { ATTEMPT_CODES } from '../../webhooks/send-message.js';
import { settingsSchema } from '../../webhooks/subscription.js';
import type { WebhookEntry, Webhooks } from '../../webhooks/webhooks.js';
import { listing, operation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import {
  attemptSchema,
  type DeadDeliveryInfo,
  deadDeliverySchema,
  secretSchema,
  type WebhookInfo,
  webhookSchema,
} from '../schema/webhooks.js';

const LIMIT = 32 * 1024;
/** Filters span projects, so an identity that is limited to some may not manage webhooks. */
const OPERATE = { scope: 'operate', reach: 'installation' } as const;
const ALL = '/api/v1/webhooks';
const ONE = `${ALL}/:webhook_id`;
const resendSchema = v.strictObject({
  deliveries: about(
    v.exactOptional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(200))), v.maxLength(100))),
    'Ids of dead deliveries. Absent: all.',
  ),
});
const NOTHING = v.strictObject({});

/** Outgoing webhooks: made, changed, tested, rotated, deleted; their dead deliveries. */
export function webhookRoutes(webhooks: () => Webhooks): CoreRoute[] {
  return [
    listing({
      ...OPERATE,
      path: ALL,
      id: 'listWebhooks',
      summary: 'List outgoing webhooks, oldest first',
      what: 'At most 1,000',
      name: 'webhooks',
      entries: v.array(webhookSchema),
      all: () => webhooks().list(),
      key: ({ id }) => id,
      show: shown,
    }),
    operation({
      ...OPERATE,
      at: `POST ${ALL}`,
      id: 'createWebhook',
      summary: 'Make a webhook. It receives later events',
      body: settingsSchema,
      bodyLimit: LIMIT,
      status: 201,
      what: 'The webhook and its secret, which is not shown again',
      schema: v.object({ webhook: webhookSchema, secret: secretSchema.entries.secret }),
      async run({ reviewer, body }) {
        const { webhook, secret } = await webhooks().create(body, reviewer.name);
        return { webhook: shown(webhook), secret };
      },
    }),
    ...single(webhooks),
    ...actions(webhooks),
  ];
}

function single(webhooks: () => Webhooks): CoreRoute[] {
  const one = { ...OPERATE, problems: ['not_found'] } as const;
  const webhook = { ...one, what: 'The webhook', schema: webhookSchema } as const;
  return [
    operation({
      ...webhook,
      at: `GET ${ONE}`,
      id: 'getWebhook',
      summary: 'Get a webhook',
      run: async ({ request }) => shown(await webhooks().get(idOf(request))),
    }),
    operation({
      ...webhook,
      at: `PUT ${ONE}`,
      id: 'updateWebhook',
      summary: 'Replace the settings of a webhook',
      body: settingsSchema,
      bodyLimit: LIMIT,
      run: async ({ request, body }) => shown(await webhooks().update(idOf(request), body)),
    }),
    operation({
      ...one,
      at: `DELETE ${ONE}`,
      id: 'deleteWebhook',
      summary: 'Delete a webhook, its secrets and its deliveries',
      what: 'Deleted',
      run: ({ request }) => webhooks().delete(idOf(request)),
    }),
  ];
}

function actions(webhooks: () => Webhooks): CoreRoute[] {
  const one = { ...OPERATE, problems: ['not_found'] } as const;
  return [
    operation({
      ...one,
      at: `POST ${ONE}/test`,
      id: 'testWebhook',
      summary: 'Send the event webhook.test once, and return the receiver’s answer',
      body: NOTHING,
      bodyLimit: 1024,
      what: 'The outcome, even of a failure',
      schema: attemptSchema,
      async run({ request, reviewer }) {
        const { ok, status, code, ms } = await webhooks().test(idOf(request), reviewer.name);
        return { ok, status, code, ms, detail: ATTEMPT_CODES[code] };
      },
    }),
    operation({
      ...one,
      at: `POST ${ONE}/secret`,
      id: 'rotateWebhookSecret',
      summary: 'Rotate the secret. The previous one also signs for another 24 hours',
      body: NOTHING,
      bodyLimit: 1024,
      what: 'The new secret, which is not shown again',
      schema: secretSchema,
      run: ({ request }) => webhooks().rotate(idOf(request)),
    }),
    listing({
      ...one,
      path: `${ONE}/dead`,
      id: 'listDeadDeliveries',
      summary: 'List the deliveries that were given up, newest first',
      what: 'At most 100 of the last 14 days',
      name: 'deliveries',
      entries: v.array(deadDeliverySchema),
      all: async ({ request }) => (await webhooks().get(idOf(request))).dead,
      key: ({ id }) => id,
      show: ({ message: _message, ...rest }) => rest as DeadDeliveryInfo,
    }),
    operation({
      ...OPERATE,
      at: `POST ${ONE}/resend`,
      id: 'resendDeadDeliveries',
      summary: 'Send dead deliveries again, one or all',
      body: resendSchema,
      bodyLimit: LIMIT,
      status: 202,
      what: 'Queued; unknown ids are not counted',
      schema: v.object({ queued: v.number() }),
      problems: ['not_found'],
      run: async ({ request, body }) => ({ queued: await webhooks().resend(idOf(request), body.deliveries) }),
    }),
  ];
}

function idOf({ params }: HttpRequest): string {
  return params.webhook_id ?? '';
}

function shown({ dead, active_since: _since, earlier: _earlier, ...rest }: WebhookEntry): WebhookInfo {
  return { ...rest, dead: dead.length };
}
