import { existsSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonText, print, printError } from '../log/terminal.js';
import { readSpool } from '../replay/read-spool.js';
import { CLIENT_FLAGS, connect, spoolDirectory } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { onStop } from './stop-signal.js';

export const usage: CommandUsage = {
  forms: [
    'record FILE|- [--follow] [--event ID]… [--project NAME] [--limit N] [flags]',
    'record FILE|- --run RUN [flags]',
  ],
  flags: {
    run: { value: 'RUN', meaning: 'the evidence of this run, from core' },
    follow: { meaning: 'wait for further deliveries until Ctrl-C' },
    event: { value: 'ID', meaning: 'only this event', many: true },
    project: { value: 'NAME', meaning: 'only this project' },
    limit: { value: 'N', meaning: 'stop after N deliveries' },
    force: { meaning: 'overwrite an existing file' },
    ...CLIENT_FLAGS,
  },
  notes: [
    'Deliveries are read from the edge’s spool (--data DIR), also while the edge runs. The spool retains acknowledged deliveries for fifteen minutes. Deliveries are sanitised before they are spooled, so the file contains no credentials and no raw bytes.',
  ],
};

const POLL_MS = 200;

export async function run(flags: ReadFlags): Promise<number> {
  const file = flags.only('A file is missing: culprit record FILE, or - for standard output.');
  if (file !== '-' && existsSync(file) && !flags.has('force')) {
    throw usageError(`${file} already exists. Choose another name, or pass --force.`);
  }
  const run = flags.text('run');
  const count = run === null ? await recordSpool(file, flags) : await recordRun(file, run, flags);
  if (flags.has('json') && file !== '-') printJson({ file, recorded: count });
  else printError(`culprit: ${count} recorded${file === '-' ? '' : ` in ${file}`}\n`);
  return EXIT.done;
}

async function recordRun(file: string, runId: string, flags: ReadFlags): Promise<number> {
  const text = `${jsonText(await connect(flags).getEvidence({ run_id: runId }))}\n`;
  if (file === '-') print(text);
  else writeFileSync(file, text, { mode: 0o600 });
  return 1;
}

async function recordSpool(file: string, flags: ReadFlags): Promise<number> {
  const directory = spoolDirectory(flags);
  const ids = new Set(flags.all('event'));
  const project = flags.text('project');
  const most = flags.count('limit', 1_000_000_000, 1_000_000_000);
  const out = file === '-' ? null : openSync(file, 'w', 0o600);
  const stop = new AbortController();
  onStop(() => stop.abort());
  let after = 0;
  let count = 0;
  while (!stop.signal.aborted && count < most) {
    for (const delivery of await readSpool(directory, after)) {
      after = delivery.sequence;
      if (ids.size > 0 && !ids.has(delivery.event_id)) continue;
      if (project !== null && delivery.project !== project) continue;
      const line = `${jsonText(delivery)}\n`;
      if (out === null) print(line);
      else writeSync(out, line);
      if (++count >= most) break;
    }
    if (!flags.has('follow')) break;
    await delay(POLL_MS, undefined, { signal: stop.signal }).catch(() => {});
  }
  return count;
}
