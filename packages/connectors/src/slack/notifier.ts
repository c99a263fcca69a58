import {
  CLOSED_STATES,
  isCulpritError,
  type Notifier,
  type Run,
  type Values,
  WAITING_STATES,
} from '@culprit/core';
import * as v from 'valibot';
import type { Place, SlackClient } from './client.js';
import { type MessageOptions, renderMessage } from './message.js';

/** After this nobody looks at the message of a closed run any more. */
const CLOSED_MS = 30 * 24 * 60 * 60_000;
/** Slack's clock and ours may differ by this much. */
const SKEW_SECONDS = 300;

const keptSchema = v.union([
  v.object({ channel: v.string(), ts: v.string() }),
  /** A message that may or may not have been posted. ISO 8601. */
  v.object({ channel: v.string(), posting: v.string() }),
]);

export interface NotifierParts {
  readonly client: SlackClient;
  readonly values: Values;
  readonly channel: string;
  readonly message: MessageOptions;
  readonly now: () => number;
}

/**
 * One message for a run, posted when it first waits and changed in place from then on. Where it stands is kept, and also
 * that it is about to be posted: after a crash or a time-out in between the channel is read (where the app may) before
 * anything is posted again.
 */
export function slackNotifier({ client, values, channel, message, now }: NotifierParts): Notifier {
  const keyOf = ({ run_id }: Run) => `message:${run_id}`;
  const keep = (run: Run, place: Place) =>
    values.set(keyOf(run), JSON.stringify(place), CLOSED_STATES.includes(run.state) ? CLOSED_MS : undefined);
  const placeOf = async (run: Run, signal: AbortSignal): Promise<Place | null> => {
    const kept = parse(await values.get(keyOf(run)));
    if (kept === null || 'ts' in kept) return kept;
    const since = Math.floor(Date.parse(kept.posting) / 1_000) - SKEW_SECONDS;
    return client.find(kept.channel, run.run_id, since, signal);
  };
  return {
    async notify(run, signal) {
      const text = renderMessage(run, message);
      const place = await placeOf(run, signal);
      if (place !== null && (await client.update(place, run.run_id, text, signal))) return keep(run, place);
      if (!WAITING_STATES.includes(run.state)) return;
      const posting = { channel, posting: new Date(now()).toISOString() };
      await values.set(keyOf(run), JSON.stringify(posting));
      try {
        await keep(run, await client.post(channel, run.run_id, text, signal));
      } catch (error) {
        // Slack has said that it took nothing.
        const proof = isCulpritError(error) && (!error.retryable || error.retryAfterMs !== undefined);
        if (proof) await values.delete(keyOf(run));
        throw error;
      }
    },
  };
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
