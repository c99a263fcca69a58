import { CHANNEL, type Json, nextTs, refused, type Workspace } from './workspace.js';
import { wrongBlocks, wrongModal } from './wrong-blocks.js';

/** The Web API methods in use, as documented at https://docs.slack.dev/reference/methods. */
export function callMethod(name: string, args: Json, workspace: Workspace): Json {
  switch (name) {
    case 'auth.test':
      return {
        ok: true,
        url: 'https://acme.slack.com/',
        team: 'Acme',
        user: 'culprit',
        team_id: 'T1',
        user_id: 'U1',
        bot_id: 'B1',
      };
    case 'chat.postMessage':
      return post(args, workspace);
    case 'chat.postEphemeral':
      return postEphemeral(args, workspace);
    case 'chat.update':
      return update(args, workspace);
    case 'conversations.history':
      return history(args, workspace);
    case 'views.open':
      return openView(args, workspace);
    default:
      return refused('unknown_method', { req_method: name });
  }
}

function post({ channel, text, blocks, metadata, thread_ts }: Json, workspace: Workspace): Json {
  if (channel !== CHANNEL) return refused('channel_not_found');
  const wrong = wrongMessage(text, blocks);
  if (wrong !== null) return wrong;
  const thread = thread_ts === undefined ? null : String(thread_ts);
  if (thread !== null && !workspace.messages.some((message) => message.ts === thread))
    return refused('cannot_reply_to_message');
  const ts = nextTs(workspace);
  if (thread !== null)
    workspace.replies.push({ ts, thread_ts: thread, text: String(text), blocks: blocks as Json[] });
  else workspace.messages.push({ ts, text: String(text), blocks: blocks as Json[], metadata, edits: 0 });
  return {
    ok: true,
    channel,
    ts,
    message: { type: 'message', subtype: 'bot_message', text, ts, bot_id: 'B1' },
  };
}

function update({ channel, ts, text, blocks, metadata }: Json, { messages }: Workspace): Json {
  if (channel !== CHANNEL) return refused('channel_not_found');
  const at = messages.findIndex((message) => message.ts === ts);
  const before = messages[at];
  if (before === undefined) return refused('message_not_found');
  const wrong = wrongMessage(text, blocks);
  if (wrong !== null) return wrong;
  const edits = before.edits + 1;
  messages[at] = { ...before, text: String(text), blocks: blocks as Json[], metadata, edits };
  return { ok: true, channel, ts, text };
}

/** https://docs.slack.dev/reference/methods/chat.postEphemeral */
function postEphemeral({ channel, user, text }: Json, workspace: Workspace): Json {
  if (channel !== CHANNEL) return refused('channel_not_found');
  if (workspace.absent.has(String(user))) return refused('user_not_in_channel');
  if (typeof text !== 'string' || text === '') return refused('no_text');
  workspace.whispers.push({ user: String(user), text, through: 'chat.postEphemeral' });
  return { ok: true, message_ts: nextTs(workspace) };
}

function openView({ trigger_id, view }: Json, { triggers, forms }: Workspace): Json {
  const trigger = triggers.get(String(trigger_id));
  if (trigger === undefined) return refused('invalid_trigger_id');
  triggers.delete(String(trigger_id));
  if (Date.now() > trigger.until) return refused('expired_trigger_id');
  const wrong = wrongModal(view as Json);
  if (wrong !== null) {
    return refused('invalid_arguments', { response_metadata: { messages: [`[ERROR] ${wrong}`] } });
  }
  forms.push({ user: trigger.user, view: view as Json });
  return { ok: true, view: { ...(view as Json), id: `V${forms.length}` } };
}

function wrongMessage(text: unknown, blocks: unknown): Json | null {
  if (typeof text !== 'string' || text === '') return refused('no_text');
  if (text.length > 40_000) return refused('msg_too_long');
  const wrong = wrongBlocks(blocks);
  if (wrong === null) return null;
  return refused('invalid_blocks', { response_metadata: { messages: [`[ERROR] ${wrong}`] } });
}

/** Largest and default `limit`. */
const PAGE = { internal: { most: 999, usual: 100 }, distributed: { most: 15, usual: 15 } };

/**
 * One page of a channel, newest first. With `latest` or without both bounds it is the page nearest to `latest` (default:
 * now); with `oldest` alone the one nearest to `oldest`. Both bounds are exclusive unless `inclusive`.
 */
function history(args: Json, workspace: Workspace): Json {
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
