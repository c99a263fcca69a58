import { defineConnector } from '@culprit/core';
import { keyvValues } from '../shared/keyv-values.js';
import { checkSlack } from './check.js';
import { slackClient } from './client.js';
import { slackConfig } from './config.js';
import { slackNotifier } from './notifier.js';

/** One Slack message per run, updated in place. */
export const slack = defineConnector({
  id: 'slack',
  config: slackConfig,
  // Without storage, only a duplicate message after a restart is at stake.
  setup: (config, { fetch, values = keyvValues(new Map()) }) => {
    const client = slackClient(config, fetch);
    const message = { boardUrl: config.boardUrl ?? null, buttons: config.buttons };
    return {
      notifier: slackNotifier({ client, values, channel: config.channel, message, now: Date.now }),
      check: (signal) => checkSlack(client, config.channel, signal),
    };
  },
});
export {
  type InteractionAnswer,
  type InteractionParts,
  type SlackInteractions,
  slackInteractions,
} from './interactions.js';
export type { SignedRequest } from './verify.js';
