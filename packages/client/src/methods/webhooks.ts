import type { Call } from '../call.js';
import type { Operations } from '../operations.js';

type Settings = Operations['createWebhook']['body'];

/** Outgoing webhooks. */
export function webhookMethods(call: Call) {
  return {
    list: async () => (await call('listWebhooks', {})).webhooks,
    get: (webhook_id: string) => call('getWebhook', { path: { webhook_id } }),
    /** The secret is not shown again. */
    create: (settings: Settings) => call('createWebhook', { body: settings }),
    update: (webhook_id: string, settings: Settings) =>
      call('updateWebhook', { path: { webhook_id }, body: settings }),
    delete: (webhook_id: string) => call('deleteWebhook', { path: { webhook_id } }),
    test: (webhook_id: string) => call('testWebhook', { path: { webhook_id } }),
    rotate: (webhook_id: string) => call('rotateWebhookSecret', { path: { webhook_id } }),
    dead: async (webhook_id: string) =>
      (await call('listDeadDeliveries', { path: { webhook_id } })).deliveries,
    /** `deliveries`: ids; absent: all. */
    resend: (webhook_id: string, deliveries?: readonly string[]) =>
      call('resendDeadDeliveries', {
        path: { webhook_id },
        body: deliveries === undefined ? {} : { deliveries },
      }),
  };
}
