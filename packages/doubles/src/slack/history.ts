import { CHANNEL } from './credentials.js';
import { refused } from './refused.js';
import type { Json, Workspace } from './workspace.js';

/** Largest and default `limit`. */
const PAGE = { internal: { most: 999, usual: 100 }, distributed: { most: 15, usual: 15 } };

/**
 * One page of a channel, newest first. With `latest` or without both bounds it is the page nearest to `latest` (default:
 * now); with `oldest` alone the one nearest to `oldest`. Both bounds are exclusive unless `inclusive`.
 */
export function history(args: Json, workspace: Workspace): Json {
  if (!workspace.history)
    return refused('missing_scope', { needed: 'channels:history', provided: 'chat:write' });
  if (args.channel !== CHANNEL) return refused('channel_not_found');
  const found = within(args, workspace);
  const { most, usual } = PAGE[workspace.app];
  const limit = Math.min(most, Number(args.limit ?? usual));
  const forward = args.oldest !== undefined && args.latest === undefined;
  const page = forward ? found.slice(-limit) : found.slice(0, limit);
  const all = String(args.include_all_metadata) === 'true';
  const messages = page.map(({ ts, text, metadata }) => ({
    type: 'message',
    ...{ ts, text },
    ...(all && metadata !== undefined ? { metadata } : {}),
  }));
  return { ok: true, messages, has_more: found.length > page.length, pin_count: 0 };
}

interface Listed {
  readonly ts: string;
  readonly text: string;
  readonly metadata?: unknown;
}

/** All messages between the bounds, newest first. */
function within({ oldest, latest, inclusive }: Json, { messages, chatter }: Workspace): readonly Listed[] {
  const said = chatter.map((ts): Listed => ({ ts, text: 'Lunch?' }));
  const bound = String(inclusive) === 'true' ? 0 : 1;
  return [...messages, ...said]
    .filter(({ ts }) => oldest === undefined || order(ts, String(oldest)) >= bound)
    .filter(({ ts }) => latest === undefined || order(String(latest), ts) >= bound)
    .sort((one, other) => order(other.ts, one.ts));
}

/** Compares `<seconds>.<microseconds>`, which a number cannot hold exactly. */
function order(one: string, other: string): -1 | 0 | 1 {
  const [a, b] = [micros(one), micros(other)];
  return a === b ? 0 : a > b ? 1 : -1;
}

function micros(ts: string): bigint {
  const [seconds = '0', rest = ''] = ts.split('.');
  return BigInt(seconds) * 1_000_000n + BigInt(rest.padEnd(6, '0').slice(0, 6));
}
