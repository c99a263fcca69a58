import { type Check, isCulpritError } from '@culprit/core';
import type { SlackClient } from './client.js';

/** Whether Slack knows the token. Gates stay open without it, so it is optional. */
export async function checkSlack(
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
      return say(false, 'The token lacks the scope chat:write: give it to the app and install it again.');
    }
    return say(true, `runs are announced in ${channel} of ${team.slice(0, 80)}`);
  } catch (error) {
    const why = isCulpritError(error) ? error.message : 'Slack does not answer in time.';
    return say(false, `${why} Until then runs are decided on the board.`);
  }
}
