import type { Quota } from '@culprit/client';
import { print, styleFor } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['quotas [flags]'],
  flags: CLIENT_FLAGS,
  notes: [
    'A new crash beyond a quota starts no run; crashes of existing runs are still counted. Those that refused most are first.',
  ],
};

/** What each key, door and project has used of its quota. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length > 0) throw usageError('culprit quotas takes only flags.');
  const quotas = (await connect(flags).listQuotas()).quotas;
  if (flags.has('json')) printJson({ quotas });
  else if (quotas.length === 0) print('No quota is used.\n');
  else {
    const style = styleFor(process.stdout);
    const head = ['QUOTA OF', 'PROJECT', 'DOOR', 'NEW RUNS THIS HOUR', 'OPEN RUNS', 'STORED', 'REFUSED'];
    print(tableText([head, ...quotas.map(rowOf)], (cell, row) => (row === 0 ? style('dim', cell) : cell)));
  }
  return EXIT.done;
}

function rowOf({ scope, project, door, key, used, limits, refused }: Quota): string[] {
  const of = (name: keyof Quota['used'], text: (value: number) => string = String) =>
    limits === null ? text(used[name]) : `${text(used[name])} of ${text(limits[name])}`;
  return [
    key === null ? scope : `key ${clipped(key, 40)}`,
    clipped(project, 40),
    door ?? 'all',
    of('new_runs'),
    of('open_runs'),
    of('bytes', (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`),
    String(refused),
  ];
}
