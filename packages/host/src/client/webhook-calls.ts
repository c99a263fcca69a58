import type { DeadDeliveryInfo, NewSecret, TestResult, WebhookInfo } from '../core/schema/webhooks.js';
import type { WebhookSettings } from '../webhooks/subscription.js';

/** Outgoing webhooks. */
export function webhookCalls(call: <T>(method: string, path: string, body?: unknown) => Promise<T>) {
  const path = (id: string, rest = '') => `/api/v1/webhooks/${encodeURIComponent(id)}${rest}`;
  return {
    list: async () => (await call<{ webhooks: readonly WebhookInfo[] }>('GET', '/api/v1/webhooks')).webhooks,
    get: (id: string) => call<WebhookInfo>('GET', path(id)),
    /** The secret is not shown again. */
    create: (settings: WebhookSettings) =>
      call<{ readonly webhook: WebhookInfo; readonly secret: string }>('POST', '/api/v1/webhooks', settings),
    update: (id: string, settings: WebhookSettings) => call<WebhookInfo>('PUT', path(id), settings),
    delete: (id: string) => call<void>('DELETE', path(id)),
    test: (id: string) => call<TestResult>('POST', path(id, '/test')),
    rotate: (id: string) => call<NewSecret>('POST', path(id, '/secret')),
    dead: async (id: string) =>
      (await call<{ deliveries: readonly DeadDeliveryInfo[] }>('GET', path(id, '/dead'))).deliveries,
    /** `deliveries`: ids; absent: all. */
    resend: (id: string, deliveries?: readonly string[]) =>
      call<{ readonly queued: number }>(
        'POST',
        path(id, '/resend'),
        deliveries === undefined ? {} : { deliveries },
      ),
  };
}
