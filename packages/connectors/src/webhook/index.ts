import { defineConnector } from '@culprit/core';
import { webhookConfig } from './config.js';
import { webhookNotifier } from './notifier.js';

/** Tells another program about runs: one signed POST (Standard Webhooks) for each state that lasts. */
export const webhook = defineConnector({
  id: 'webhook',
  config: webhookConfig,
  setup: (config, { fetch }) => ({
    notifier: webhookNotifier({ config, fetch, now: Date.now }),
    check: async () => [
      { name: 'webhook', ok: true, detail: `runs are told to ${new URL(config.url).origin}`, optional: true },
    ],
  }),
});
