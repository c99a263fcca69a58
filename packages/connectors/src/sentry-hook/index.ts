import { defineConnector } from '@culprit/core';
import { sentryHookConfig } from './config.js';
import { parseHook } from './parse.js';
import { hookVerifier } from './verify.js';

/** `POST /webhook/sentry-hook`: Sentry's integration platform (`event_alert`, `error`, `issue`). */
export const sentryHook = defineConnector({
  id: 'sentry-hook',
  config: sentryHookConfig,
  setup: (config) => ({ tracker: { verify: hookVerifier(config), parse: parseHook } }),
});
