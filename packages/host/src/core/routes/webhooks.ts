import * as v from 'valibot';
import type { HttpRequest } from '../../http/message.js';
import { jsonResponse } from '../../http/problem-response.js';
import { ATTEMPT_CODES } from '../../webhooks/send-message.js';
import { settingsSchema } from '../../webhooks/subscription.js';
import type { WebhookEntry, Webhooks } from '../../webhooks/webhooks.js';
import { OPTIONAL_PAGE_PARAMETERS, pageOf, pageResponse } from '../paging.js';
import { readBody, readOptionalBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
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
const ACCESS = { access: 'reviewer', scope: 'operate', reach: 'installation' } as const;
const PATTERN = '/api/v1/webhooks';
const ONE = `${PATTERN}/:webhook_id`;
const createdSchema = v.object({ webhook: webhookSchema, secret: secretSchema.entries.secret });
const listSchema = v.object({ webhooks: v.array(webhookSchema), next: v.nullable(v.string()) });
const deadSchema = v.object({ deliveries: v.array(deadDeliverySchema), next: v.nullable(v.string()) });
const resendSchema = v.strictObject({
  deliveries: v.pipe(
    v.exactOptional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(200))), v.maxLength(100))),
    v.description('Ids of dead deliveries. Absent: all.'),
  ),
});
const queuedSchema = v.object({ queued: v.number() });
const emptySchema = v.strictObject({});

/** Outgoing webhooks: made, changed, tested, rotated, deleted; their dead deliveries. */
export function webhookRoutes(webhooks: () => Webhooks): CoreRoute[] {
  return [...collection(webhooks), ...single(webhooks), ...actions(webhooks)];
}

function collection(webhooks: () => Webhooks): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: PATTERN,
      ...ACCESS,
      doc: {
        id: 'listWebhooks',
        summary: 'List outgoing webhooks, oldest first',
        query: OPTIONAL_PAGE_PARAMETERS,
        answers: { 200: { what: 'At most 1,000', schema: listSchema } },
        problems: ['storage_unavailable', 'malformed', 'invalid_cursor'],
      },
      async handle({ request }: ReviewerCall) {
        const all = (await webhooks().list()).map(shown);
        const { page, next } = pageOf(all, request.query, ({ id }) => id);
        return pageResponse(request, { webhooks: page, next });
      },
    },
    {
      method: 'POST',
      pattern: PATTERN,
      ...ACCESS,
      bodyLimit: LIMIT,
      doc: {
        id: 'createWebhook',
        summary: 'Make a webhook. Events from now on are sent to it',
        body: { schema: settingsSchema, required: true },
        answers: {
          201: { what: 'The webhook and its secret, which is not shown again', schema: createdSchema },
        },
        problems: ['malformed', 'storage_unavailable'],
      },
      async handle({ request, identity }: ReviewerCall) {
        const made = await webhooks().create(readBody(request, settingsSchema), identity.reviewer.name);
        return jsonResponse(201, { webhook: shown(made.webhook), secret: made.secret });
      },
    },
  ];
}

function single(webhooks: () => Webhooks): CoreRoute[] {
  const answers = { 200: { what: 'The webhook', schema: webhookSchema } };
  return [
    {
      method: 'GET',
      pattern: ONE,
      ...ACCESS,
      doc: {
        id: 'getWebhook',
        summary: 'Get a webhook',
        answers,
        problems: ['not_found', 'storage_unavailable'],
      },
      async handle({ request }: ReviewerCall) {
        return jsonResponse(200, shown(await webhooks().get(idOf(request))));
      },
    },
    {
      method: 'PUT',
      pattern: ONE,
      ...ACCESS,
      bodyLimit: LIMIT,
      doc: {
        id: 'updateWebhook',
        summary: 'Replace the settings of a webhook',
        body: { schema: settingsSchema, required: true },
        answers,
        problems: ['malformed', 'not_found', 'storage_unavailable'],
      },
      async handle({ request }: ReviewerCall) {
        const settings = readBody(request, settingsSchema);
        return jsonResponse(200, shown(await webhooks().update(idOf(request), settings)));
      },
    },
    {
      method: 'DELETE',
      pattern: ONE,
      ...ACCESS,
      doc: {
        id: 'deleteWebhook',
        summary: 'Delete a webhook, its secrets and its deliveries',
        answers: { 204: { what: 'Deleted' } },
        problems: ['not_found', 'storage_unavailable'],
      },
      async handle({ request }: ReviewerCall) {
        await webhooks().delete(idOf(request));
        return { status: 204 };
      },
    },
  ];
}

function actions(webhooks: () => Webhooks): CoreRoute[] {
  return [
    {
      method: 'POST',
      pattern: `${ONE}/test`,
      ...ACCESS,
      bodyLimit: 1024,
      doc: {
        id: 'testWebhook',
        summary: 'Send the event webhook.test once, and say what the receiver answered',
        body: { schema: emptySchema, required: false },
        answers: { 200: { what: 'The outcome, also of a failure', schema: attemptSchema } },
        problems: ['malformed', 'not_found', 'storage_unavailable'],
      },
      async handle({ request, identity }: ReviewerCall) {
        readOptionalBody(request, emptySchema);
        const { ok, status, code, ms } = await webhooks().test(idOf(request), identity.reviewer.name);
        return jsonResponse(200, { ok, status, code, ms, detail: ATTEMPT_CODES[code] });
      },
    },
    {
      method: 'POST',
      pattern: `${ONE}/secret`,
      ...ACCESS,
      bodyLimit: 1024,
      doc: {
        id: 'rotateWebhookSecret',
        summary: 'Rotate the secret. The one before signs for another 24 hours',
        body: { schema: emptySchema, required: false },
        answers: { 200: { what: 'The new secret, which is not shown again', schema: secretSchema } },
        problems: ['malformed', 'not_found', 'storage_unavailable'],
      },
      async handle({ request }: ReviewerCall) {
        readOptionalBody(request, emptySchema);
        return jsonResponse(200, await webhooks().rotate(idOf(request)));
      },
    },
    {
      method: 'GET',
      pattern: `${ONE}/dead`,
      ...ACCESS,
      doc: {
        id: 'listDeadDeliveries',
        summary: 'List the deliveries that were given up, newest first',
        query: OPTIONAL_PAGE_PARAMETERS,
        answers: { 200: { what: 'At most 100 of the last 14 days', schema: deadSchema } },
        problems: ['not_found', 'storage_unavailable', 'malformed', 'invalid_cursor'],
      },
      async handle({ request }: ReviewerCall) {
        const { dead } = await webhooks().get(idOf(request));
        const { page, next } = pageOf(dead, request.query, ({ id }) => id);
        const deliveries = page.map(({ message: _message, ...one }) => one as DeadDeliveryInfo);
        return pageResponse(request, { deliveries, next });
      },
    },
    {
      method: 'POST',
      pattern: `${ONE}/resend`,
      ...ACCESS,
      bodyLimit: LIMIT,
      doc: {
        id: 'resendDeadDeliveries',
        summary: 'Send dead deliveries again, one or all',
        body: { schema: resendSchema, required: false },
        answers: { 202: { what: 'Queued; unknown ids are not counted', schema: queuedSchema } },
        problems: ['malformed', 'not_found', 'rate_limited', 'storage_unavailable'],
      },
      async handle({ request }: ReviewerCall) {
        const { deliveries } = readOptionalBody(request, resendSchema);
        return jsonResponse(202, { queued: await webhooks().resend(idOf(request), deliveries) });
      },
    },
  ];
}

function idOf({ params }: HttpRequest): string {
  return params.webhook_id ?? '';
}

function shown({ dead, active_since: _since, earlier: _earlier, ...rest }: WebhookEntry): WebhookInfo {
  return { ...rest, dead: dead.length };
}
