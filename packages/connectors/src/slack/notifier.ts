import { randomUUID } from 'node:crypto';
import { CulpritError, isCulpritError, type Notifier, type Run } from '@culprit/core/connector';
import { CLOSED_STATES, WAITING_STATES } from '@culprit/core/internal/domain/run';
import type { Values } from '@culprit/core/internal/ports/values';
import * as v from 'valibot';
import type { MessageAddress, SearchBounds, SlackClient } from './client.js';
import { type MessageOptions, renderComment, renderMessage } from './message.js';

/** The message of a closed run is forgotten after this time. */
const CLOSED_MS = 30 * 24 * 60 * 60_000;
/** Maximum difference between Slack's clock and this machine's. */
const SKEW_SECONDS = 300;
/** A message appears within this time after the intent to post it, or never. */
const APPEARS_SECONDS = 300;
/** Another process that was about to post has done so by then, or never will. */
const POSTING_MS = 30_000;

const keptSchema = v.union([
  v.object({ channel: v.string(), ts: v.string() }),
  /**
   * A message that may or may not have been posted. ISO 8601. `by`: the process that was about to post it. `before`: it is
   * not in the channel from this Slack time on, as far as it has been searched.
   */
  v.object({
    channel: v.string(),
    posting: v.string(),
    by: v.optional(v.string()),
    before: v.optional(v.string()),
  }),
]);
type Kept = v.InferOutput<typeof keptSchema>;
type Posting = Exclude<Kept, MessageAddress>;
/** The stored text, and the message if it exists. */
interface Known {
  readonly text: string | undefined;
  readonly place: MessageAddress | null;
}

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
 * again. Comments go to the message's thread.
 */
export function slackNotifier({ client, values, channel, message, now }: NotifierParts): Notifier {
  const own = randomUUID();
  const keyOf = ({ run_id }: Run) => `message:${run_id}`;
  const keep = (run: Run, place: MessageAddress) =>
    values.set(keyOf(run), JSON.stringify(place), CLOSED_STATES.includes(run.state) ? CLOSED_MS : undefined);
  const mayStillAppear = ({ posting }: Posting) => now() - Date.parse(posting) < POSTING_MS;
  /** Continues where an earlier search stopped, because Slack may allow only a page a minute. */
  const search = async (run: Run, text: string, kept: Posting, signal: AbortSignal): Promise<Known> => {
    const bounds = boundsOf(kept);
    const { message, next } = await client.find(kept.channel, run.run_id, bounds, signal);
    if (message !== null || next === null) return { text, place: message };
    const rest = { ...kept, before: next };
    if (mayStillAppear(kept)) return search(run, text, rest, signal);
    const changed = JSON.stringify(rest);
    const stored = await values.change(keyOf(run), (now) => (now === text ? changed : undefined));
    if (stored !== changed) throw busy();
    return search(run, changed, rest, signal);
  };
  const knownOf = async (run: Run, signal: AbortSignal): Promise<Known> => {
    const text = await values.get(keyOf(run));
    const kept = parse(text);
    if (text === undefined || kept === null) return { text, place: null };
    if ('ts' in kept) return { text, place: kept };
    const known = await search(run, text, kept, signal);
    const others = kept.by !== undefined && kept.by !== own;
    if (known.place === null && others && mayStillAppear(kept)) throw busy();
    return known;
  };
  return {
    async notify(run, signal, story, trailer) {
      const shown = renderMessage(run, message, story, trailer);
      const { text: known, place } = await knownOf(run, signal);
      if (place !== null && (await client.update(place, run.run_id, shown, signal))) return keep(run, place);
      if (!WAITING_STATES.includes(run.state)) return;
      const posting = JSON.stringify({ channel, posting: new Date(now()).toISOString(), by: own });
      const kept = await values.change(keyOf(run), (before) => (before === known ? posting : undefined));
      if (kept !== posting) throw busy();
      try {
        await keep(run, await client.post(channel, run.run_id, shown, signal));
      } catch (error) {
        // Slack confirmed that it did not post.
        const proof = isCulpritError(error) && (!error.retryable || error.retryAfterMs !== undefined);
        if (proof) await values.delete(keyOf(run));
        throw error;
      }
    },
    async comment(run, comment, signal) {
      const { place } = await knownOf(run, signal);
      // A run that was closed before Slack was configured has no message.
      if (place !== null) await client.reply(place, renderComment(comment), signal);
    },
  };
}

/** Retried later; by then the message exists and is updated in place. */
function busy(): CulpritError {
  return new CulpritError('notifier_failed', 'Another process is posting this message.');
}

function boundsOf({ posting, before }: Posting): SearchBounds {
  const since = Math.floor(Date.parse(posting) / 1_000);
  return {
    oldest: String(since - SKEW_SECONDS),
    latest: before ?? String(since + APPEARS_SECONDS + SKEW_SECONDS),
  };
}

function parse(text: string | undefined): Kept | null {
  if (text === undefined) return null;
  try {
    const parsed = v.safeParse(keptSchema, JSON.parse(text));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}
