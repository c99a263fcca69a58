import { type Check, isCulpritError } from '@culprit/core';
import type { SlackClient } from './client.js';

/** Whether Slack accepts the token. Optional: gates work without Slack. */
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
      return say(false, 'The token lacks the scope chat:write. Add it to the app and reinstall the app.');
    }
    return say(true, `Runs are announced in ${channel} of ${team.slice(0, 80)}`);
  } catch (error) {
    const why = isCulpritError(error) ? error.message : 'Slack did not respond in time.';
    return say(false, `${why} Until then, decide on the board.`);
  }
}
