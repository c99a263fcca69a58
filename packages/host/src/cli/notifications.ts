import { CLIENT_FLAGS, connect } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, plain, printJson, tableText } from './print.js';
import { type CommandUsage, readFlags } from './read-flags.js';

export const NOTIFICATIONS_USAGE: CommandUsage = {
  name: 'notifications',
  summary: 'what chat and webhooks could not be told, and once more.',
  forms: ['notifications [list] [flags]', 'notifications retry CONNECTOR RUN [flags]'],
  flags: { ...CLIENT_FLAGS },
  notes: ['The list holds what was given up after about 8 hours of tries; a later success takes it off.'],
};

/** The list of failed notifications, and retrying one. */
export async function notifications(argv: string[]): Promise<number> {
  const flags = readFlags(argv, NOTIFICATIONS_USAGE);
  if (flags === null) return EXIT.done;
  const [verb = 'list', connector, runId, ...rest] = flags.positionals;
  const api = () => connect(flags);
  if (verb === 'retry' && connector !== undefined && runId !== undefined && rest.length === 0) {
    await api().retryNotification(connector, runId);
    if (flags.has('json')) printJson({ status: 'queued' });
    else process.stdout.write(`${plain(connector)} is told of ${plain(runId)} once more.\n`);
    return EXIT.done;
  }
  if (verb !== 'list' || connector !== undefined)
    throw usageError('Write: culprit notifications [list], or culprit notifications retry CONNECTOR RUN.');
  const failed = await api().failedNotifications();
  if (flags.has('json')) printJson({ notifications: failed });
  else if (failed.length === 0) process.stdout.write('Everything was told.\n');
  else {
    const rows = failed.map((one) => [
      one.at,
      plain(one.connector),
      plain(one.run_id),
      one.state,
      `${one.attempts}×`,
      clipped(one.detail, 100),
    ]);
    process.stdout.write(tableText(rows));
  }
  return EXIT.done;
}
