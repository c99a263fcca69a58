import { defineConnector } from '@culprit/core';
import { standardWebhooksConfig } from './config.js';
import { parseWebhook } from './parse.js';
import { webhookVerifier } from './verify.js';

/** `POST /webhook/standard-webhooks`: crash objects signed according to Standard Webhooks. */
export const standardWebhooks = defineConnector({
  id: 'standard-webhooks',
  config: standardWebhooksConfig,
  setup: (config) => ({ tracker: { verify: webhookVerifier(config), parse: parseWebhook } }),
});
