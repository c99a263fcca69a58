import { type Check, defineConnector, isCulpritError } from '@culprit/core/connector';
import { openMemoryStore } from '@culprit/core/internal/store/open-store';
import { type SlackClient, slackClient } from './client.js';
import { slackConfig } from './config.js';
import { slackNotifier } from './notifier.js';

/** One Slack message per run, updated in place. */
export const slack = defineConnector({
  id: 'slack',
  config: slackConfig,
  // Without storage, only a duplicate message after a restart is at stake.
  setup: (config, { fetch, values = openMemoryStore().values }) => {
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

/** Whether Slack accepts the token. Optional: gates work without Slack. */
async function checkSlack(
  client: SlackClient,
  channel: string,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const say = (ok: boolean, detail: string): readonly Check[] => [
    { name: 'slack', ok, detail, optional: true },
  ];
  try {
    const { team, scopes } = await client.identity(signal);
    if (scopes.length > 0 && !scopes.includes('chat:write')) {
      return say(false, 'The token lacks the scope chat:write. Add it to the app and reinstall the app.');
    }
    return say(true, `Runs are announced in ${channel} of ${team.slice(0, 80)}`);
  } catch (error) {
    const why = isCulpritError(error) ? error.message : 'Slack did not respond in time.';
    return say(false, `${why} Until then, decide on the board.`);
  }
}
