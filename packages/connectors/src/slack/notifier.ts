import { randomUUID } from 'node:crypto';
import { CulpritError, isCulpritError, type Notifier, type Run, type Values } from '@culprit/core';
import { CLOSED_STATES, WAITING_STATES } from '@culprit/core/model';
import * as v from 'valibot';
import type { MessageAddress, SlackClient } from './client.js';
import { type MessageOptions, renderMessage } from './message.js';

/** The message of a closed run is forgotten after this time. */
const CLOSED_MS = 30 * 24 * 60 * 60_000;
/** Maximum difference between Slack's clock and this machine's. */
const SKEW_SECONDS = 300;
/** Another process that was about to post has done so by then, or never will. */
const POSTING_MS = 30_000;

const keptSchema = v.union([
  v.object({ channel: v.string(), ts: v.string() }),
  /** A message that may or may not have been posted. ISO 8601; `by`: the process that was about to post it. */
  v.object({ channel: v.string(), posting: v.string(), by: v.optional(v.string()) }),
]);

export interface NotifierParts {
  readonly client: SlackClient;
  readonly values: Values;
  readonly channel: string;
  readonly message: MessageOptions;
  readonly now: () => number;
}

/**
 * One message per run, posted when it first waits and updated in place. Its address is stored, and before that the intent to
 * post it: after a crash or timeout in between, the channel is searched (if the app may read it) before anything is posted
 * again.
 */
export function slackNotifier({ client, values, channel, message, now }: NotifierParts): Notifier {
  const own = randomUUID();
  const keyOf = ({ run_id }: Run) => `message:${run_id}`;
  const keep = (run: Run, place: MessageAddress) =>
    values.set(keyOf(run), JSON.stringify(place), CLOSED_STATES.includes(run.state) ? CLOSED_MS : undefined);
  const placeOf = async (
    run: Run,
    known: string | undefined,
    signal: AbortSignal,
  ): Promise<MessageAddress | null> => {
    const kept = parse(known);
    if (kept === null || 'ts' in kept) return kept;
    const since = Date.parse(kept.posting);
    const skewed = Math.floor(since / 1_000) - SKEW_SECONDS;
    const found = await client.find(kept.channel, run.run_id, skewed, signal);
    if (found === null && kept.by !== undefined && kept.by !== own && now() - since < POSTING_MS)
      throw busy();
    return found;
  };
  return {
    async notify(run, signal) {
      const text = renderMessage(run, message);
      const known = await values.get(keyOf(run));
      const place = await placeOf(run, known, signal);
      if (place !== null && (await client.update(place, run.run_id, text, signal))) return keep(run, place);
      if (!WAITING_STATES.includes(run.state)) return;
      const posting = JSON.stringify({ channel, posting: new Date(now()).toISOString(), by: own });
      const kept = await values.change(keyOf(run), (before) => (before === known ? posting : undefined));
      if (kept !== posting) throw busy();
      try {
        await keep(run, await client.post(channel, run.run_id, text, signal));
      } catch (error) {
        // Slack confirmed that it did not post.
        const proof = isCulpritError(error) && (!error.retryable || error.retryAfterMs !== undefined);
        if (proof) await values.delete(keyOf(run));
        throw error;
      }
    },
  };
}

/** Retried later; by then the message exists and is updated in place. */
function busy(): CulpritError {
  return new CulpritError('notifier_failed', 'Another process is posting this message.');
}

function parse(text: string | undefined): v.InferOutput<typeof keptSchema> | null {
  if (text === undefined) return null;
  try {
    const parsed = v.safeParse(keptSchema, JSON.parse(text));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}
