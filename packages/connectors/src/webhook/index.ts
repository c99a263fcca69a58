import { defineConnector } from '@culprit/core';
import { webhookConfig } from './config.js';
import { webhookNotifier } from './notifier.js';

export { type MessageToSign, webhookHeaders } from '../shared/standard-webhooks.js';
export { webhookData } from './message.js';

/** Notifies another program about runs: one signed POST (Standard Webhooks) for each lasting state. */
export const webhook = defineConnector({
  id: 'webhook',
  config: webhookConfig,
  setup: (config, { fetch }) => ({
    notifier: webhookNotifier({ config, fetch, now: Date.now }),
    check: async () => [
      { name: 'webhook', ok: true, detail: `Runs are sent to ${new URL(config.url).origin}`, optional: true },
    ],
  }),
});
