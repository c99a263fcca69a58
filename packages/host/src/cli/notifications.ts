import { print } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['notifications [list] [flags]', 'notifications retry CONNECTOR RUN [flags]'],
  flags: { ...CLIENT_FLAGS },
  notes: [
    'A notification is listed when its retries have failed for about 8 hours, until a later one succeeds.',
  ],
};

/** The list of failed notifications, and retrying one. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', connector, runId, ...rest] = flags.positionals;
  const api = () => connect(flags);
  if (verb === 'retry' && connector !== undefined && runId !== undefined && rest.length === 0) {
    await api().retryNotification({ connector, run_id: runId });
    if (flags.has('json')) printJson({ status: 'queued' });
    else print(`Queued: ${oneLine(connector)} is notified of ${oneLine(runId)} again.\n`);
    return EXIT.done;
  }
  if (verb !== 'list' || connector !== undefined)
    throw usageError('Use culprit notifications [list] or culprit notifications retry CONNECTOR RUN.');
  const failed = (await api().listFailedNotifications()).notifications;
  if (flags.has('json')) printJson({ notifications: failed });
  else if (failed.length === 0) print('No failed notifications.\n');
  else {
    const rows = failed.map((one) => [
      one.at,
      oneLine(one.connector),
      oneLine(one.run_id),
      one.state,
      `${one.attempts}×`,
      clipped(one.detail, 100),
    ]);
    print(tableText(rows));
  }
  return EXIT.done;
}
