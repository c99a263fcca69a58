import { setTimeout as delay } from 'node:timers/promises';
import type { RunSummary } from '@culprit/core';
import { Unreachable } from '../client/core-api.js';
import { readWebSocket } from '../client/web-socket.js';
import type { LiveMessage } from '../live/messages.js';
import { CLIENT_FLAGS, clientConfig } from './client-flags.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { clipped, styleFor } from './print.js';
import { type CommandUsage, readFlags } from './read-flags.js';

const FORMATS = ['human', 'json'] as const;

export const LISTEN_USAGE: CommandUsage = {
  name: 'listen',
  summary: 'show every change of every run as it happens.',
  forms: ['listen [--format human|json] [--project NAME] [flags]'],
  flags: {
    format: { value: FORMATS.join('|'), meaning: 'json: one message on each line, as core sends them' },
    project: { value: 'NAME', meaning: 'only this project' },
    since: { value: 'EPOCH.SEQ', meaning: 'resume after this number' },
    'no-reconnect': { meaning: 'end when core closes the feed' },
    ...CLIENT_FLAGS,
  },
  notes: ['Ctrl-C ends it with exit code 0. A lost connection is taken up again where it was lost.'],
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** The session or the token is no longer good. */
const SIGNED_OUT = 4401;

/** A live tail over core's WebSocket. */
export async function listen(argv: string[]): Promise<number> {
  const flags = readFlags(argv, LISTEN_USAGE);
  if (flags === null) return EXIT.done;
  const { coreUrl, token } = clientConfig(flags);
  const json = flags.has('json') || flags.oneOf('format', FORMATS, 'human') === 'json';
  const project = flags.text('project');
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  let cursor = flags.text('since');
  let epoch = cursor?.slice(0, cursor.lastIndexOf('.')) ?? '';
  let pauseMs = FIRST_PAUSE_MS;
  const show = (text: string) => {
    const message = JSON.parse(text) as LiveMessage;
    pauseMs = FIRST_PAUSE_MS;
    if (message.type === 'snapshot') epoch = message.epoch;
    if (message.type !== 'guard') cursor = `${epoch}.${message.sequence}`;
    if (message.type === 'run' && project !== null && message.run.project !== project) return;
    process.stdout.write(json ? `${text}\n` : human(message, project));
  };
  try {
    while (!stop.signal.aborted) {
      const query = cursor === null ? '' : `?since=${encodeURIComponent(cursor)}`;
      const url = `${coreUrl}/api/v1/live${query}`;
      const headers = token === null ? {} : { authorization: `Bearer ${token}` };
      const closing = await readWebSocket(url, { headers, onText: show, signal: stop.signal }).catch(
        (error) => {
          if (!(error instanceof Unreachable) || cursor === null || flags.has('no-reconnect')) throw error;
          return { code: 1006, reason: error.message };
        },
      );
      if (stop.signal.aborted) break;
      if (closing.code === SIGNED_OUT) throw new CommandFailure('The token is no longer good.', EXIT.refused);
      if (flags.has('no-reconnect')) return EXIT.done;
      process.stderr.write(
        `culprit: the feed was closed (${closing.code} ${closing.reason}); trying again\n`,
      );
      await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
    return EXIT.done;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

const STATE_STYLES = {
  staged_raw: 'yellow',
  staged_draft: 'yellow',
  published: 'green',
  rejected: 'dim',
} as const;

function human(message: LiveMessage, project: string | null): string {
  const style = styleFor(process.stdout);
  if (message.type === 'guard') return '';
  if (message.type === 'run') return line(message.run);
  const runs = message.runs.filter((run) => project === null || run.project === project);
  const more = message.more ? ' and more' : '';
  const head = style(
    'dim',
    `-- ${runs.length} open runs${more}, live from here (${message.epoch}.${message.sequence})`,
  );
  return `${runs.map(line).join('')}${head}\n`;

  function line(run: Pick<RunSummary, 'run_id' | 'state' | 'occurrences' | 'title' | 'updated_at'>): string {
    const time = run.updated_at.slice(11, 19);
    const name = STATE_STYLES[run.state as keyof typeof STATE_STYLES] ?? 'cyan';
    const state = style(name, run.state.padEnd(12));
    return `${style('dim', time)}  ${state}  ${run.run_id}  ×${run.occurrences}  ${clipped(run.title, 80)}\n`;
  }
}
