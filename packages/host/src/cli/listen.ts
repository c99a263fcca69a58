import { ApiError } from '@culprit/client';
import type { BeatMessage, LiveMessage } from '@culprit/client/live';
import { connectLive, type LiveEvents } from '@culprit/client/live';
import type { RunSummary } from '@culprit/core';
import { jsonText, print, printError, styleFor } from '../log/terminal.js';
import { parseSince } from '../server/live/protocol.js';
import { CLIENT_FLAGS, clientConfig } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, oneLine } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { onStop } from './stop-signal.js';

const FORMATS = ['human', 'json'] as const;

export const usage: CommandUsage = {
  forms: ['listen [--format human|json] [--project NAME] [flags]'],
  flags: {
    format: { value: FORMATS.join('|'), meaning: 'json prints one message from core per line' },
    project: { value: 'NAME', meaning: 'only this project' },
    since: { value: 'EPOCH.SEQ', meaning: 'resume after this sequence number' },
    'no-reconnect': { meaning: 'exit when the connection is lost' },
    ...CLIENT_FLAGS,
  },
  notes: ['Ctrl-C ends it with exit code 0. After a lost connection it reconnects and resumes.'],
};

/** A live tail over core's WebSocket. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length > 0) throw usageError('culprit listen takes only flags.');
  const { core, token } = clientConfig(flags);
  const json = flags.has('json') || flags.oneOf('format', FORMATS, 'human') === 'json';
  const project = flags.text('project');
  const since = readSince(flags.text('since'));
  const live = connectLive({
    url: core.url,
    ...(token === null ? {} : { token }),
    ...(since === null ? {} : { since }),
    ...(flags.has('no-reconnect') ? { pausesMs: [] } : {}),
  });
  const ignoreStop = onStop(() => live.close());
  let lost = false;
  live.on('message', (message) => {
    if (lost) printError(`culprit: connected again; ${missed(message)}\n`);
    lost = false;
    if (message.type === 'beat') return;
    if (message.type === 'run' && project !== null && message.run.project !== project) return;
    print(json ? `${jsonText(message)}\n` : human(message, project));
  });
  try {
    const { reason, detail } = await new Promise<LiveEvents['state']>((resolve) => {
      live.on('state', (now) => {
        const neverConnected = now.reason === 'unreachable' && live.cursor === null;
        if (now.state === 'closed' || neverConnected) resolve(now);
        else if (now.state === 'waiting') {
          lost = true;
          printError(`culprit: ${oneLine(now.detail)}\n`);
        }
      });
    });
    if (reason === 'unreachable') throw new ApiError(0, 'unreachable', `${core.url}: ${detail}.`);
    if (reason === 'signed_out') throw new ApiError(401, 'unauthenticated', detail);
    if (reason === 'unsupported_version') throw new CommandFailure(detail, EXIT.failed);
    return EXIT.done;
  } finally {
    live.close();
    ignoreStop();
  }
}

function readSince(text: string | null): ReturnType<typeof parseSince> {
  const since = text === null ? null : parseSince(text);
  if (text !== null && since === null)
    throw usageError('--since must be EPOCH.SEQ, as printed by an earlier `culprit listen`.');
  return since;
}

/** What the first message after a lost connection tells. */
function missed(message: LiveMessage): string {
  return message.type === 'snapshot' && message.reset
    ? 'core could not resume, so changes in between are missing. Open runs now follow'
    : 'nothing is missing';
}

const STATE_STYLES = {
  staged_raw: 'yellow',
  staged_draft: 'yellow',
  published: 'green',
  rejected: 'dim',
} as const;

function human(message: Exclude<LiveMessage, BeatMessage>, project: string | null): string {
  const style = styleFor(process.stdout);
  if (message.type === 'run') return line(message.run);
  if (message.type !== 'snapshot') return '';
  const runs = message.runs.filter((run) => project === null || run.project === project);
  const more = message.more ? ' and more' : '';
  const head = style(
    'dim',
    `-- ${runs.length} open runs${more}, following changes (${message.epoch}.${message.sequence})`,
  );
  return `${runs.map(line).join('')}${head}\n`;

  function line(run: Pick<RunSummary, 'run_id' | 'state' | 'occurrences' | 'title' | 'updated_at'>): string {
    const time = run.updated_at.slice(11, 19);
    const name = STATE_STYLES[run.state as keyof typeof STATE_STYLES] ?? 'cyan';
    const state = style(name, run.state.padEnd(12));
    return `${style('dim', time)}  ${state}  ${run.run_id}  ×${run.occurrences}  ${clipped(run.title, 80)}\n`;
  }
}
