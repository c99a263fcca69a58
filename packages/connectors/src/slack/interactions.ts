import { CulpritError, type Engine, type Logger, silentLogger } from '@culprit/core';
import { timeLimit } from '@culprit/core/resilience';
import * as v from 'valibot';
import { APPROVE, parseShown, REJECT, type Shown } from './button.js';
import { type SlackClient, slackClient } from './client.js';
import { interactionsConfig } from './config.js';
import { approve, reject, whyNot } from './decide.js';
import { type Decider, decidersOf } from './deciders.js';
import { type EphemeralReplier, ephemeralReplier } from './ephemeral-replier.js';
import { type BlockActions, parsePayload, type ViewSubmission } from './payload.js';
import { type Pressed, REASON_MISSING, readRejection, rejectForm } from './reject-form.js';
import { seenSignatures } from './seen.js';
import { outsideSpan } from './text.js';
import { type SignedRequest, verifiedSignature } from './verify.js';

const FORM_MS = 3_000;

/** The immediate response to Slack; `work` continues afterwards and never rejects. */
export interface InteractionAnswer {
  readonly status: 200;
  /** JSON, or empty. */
  readonly body: string;
  readonly work: Promise<void>;
}

/** Answers Slack's interaction requests. */
export interface SlackInteractions {
  /**
   * Handles one interactive request. Rejects with `unauthenticated` if it is forged, too old or repeated, and with
   * `malformed` if it is not a payload. The HTTP status is that of the error.
   */
  receive(engine: Engine, request: SignedRequest): Promise<InteractionAnswer>;
  /** Ends all continuing work. */
  close(): void;
}

/** What the handler of Slack interactions needs. */
export interface InteractionParts {
  readonly fetch?: typeof globalThis.fetch;
  readonly logger?: Logger;
}

interface Parts {
  readonly client: SlackClient;
  readonly replier: EphemeralReplier;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly deciderOf: (user: string) => Decider | null;
}

/** Counterpart of {@link slack}: button presses in Slack, for the app's Interactivity Request URL. */
export function slackInteractions(
  input: v.InferInput<typeof interactionsConfig>,
  { fetch = globalThis.fetch, logger = silentLogger }: InteractionParts = {},
): SlackInteractions {
  const parsed = v.safeParse(interactionsConfig, input);
  if (!parsed.success) {
    const path = v.getDotPath(parsed.issues[0]) ?? 'configuration';
    throw new CulpritError('configuration', `Slack interactions: ${path} is missing or invalid.`, { path });
  }
  const config = parsed.output;
  const ending = new AbortController();
  const client = slackClient(config, fetch);
  const parts: Parts = {
    client,
    replier: ephemeralReplier({ apiUrl: config.apiUrl, client, fetch, logger, signal: ending.signal }),
    logger,
    signal: ending.signal,
    deciderOf: decidersOf(config.reviewers, logger),
  };
  const seen = seenSignatures();
  return {
    async receive(engine, request) {
      const signature = verifiedSignature(config.signingSecret, request);
      const payload = parsePayload(request.body);
      await seen.take(engine.values, signature);
      if (payload === null) return answer();
      return payload.type === 'block_actions'
        ? later(parts, () => pressed(parts, engine, payload))
        : submitted(parts, engine, payload);
    },
    close: () => ending.abort(new CulpritError('closed', 'The server is closing.')),
  };
}

async function pressed(parts: Parts, engine: Engine, payload: BlockActions): Promise<void> {
  const { actions, user, response_url, trigger_id } = payload;
  const action = actions.find(({ action_id }) => action_id === APPROVE || action_id === REJECT);
  if (action === undefined) return;
  const place = { responseUrl: response_url, channel: payload.channel?.id };
  const say = (text: string) => parts.replier.say({ ...place, user: user.id }, text);
  const shown = parseShown(action.value);
  if (shown === null) return say('This button is from another version of Culprit. Decide on the board.');
  const decider = parts.deciderOf(user.id);
  if (decider === null) return say(notAReviewer(user.id));
  if (action.action_id === APPROVE) return say(await failing(parts, approve(engine, shown, decider)));
  const why = await whyNot(engine, shown, decider);
  if (why !== null) return say(why);
  await openForm(parts, shown, trigger_id, place).catch(async (error: unknown) => {
    parts.logger.warn({ err: error, run_id: shown.run }, 'the rejection form could not be opened in Slack');
    await say('The form could not be opened, so nothing was decided. Try again, or use the board.');
  });
}

async function openForm(
  { client, signal }: Parts,
  shown: Shown,
  triggerId: string | undefined,
  place: Pressed,
): Promise<void> {
  await client.openForm(triggerId ?? '', rejectForm(shown, place), timeLimit(FORM_MS, signal));
}

function submitted(parts: Parts, engine: Engine, payload: ViewSubmission): InteractionAnswer {
  const rejection = readRejection(payload);
  if (rejection === null) return answer();
  if (rejection.reason === '') return answer(JSON.stringify(REASON_MISSING));
  const decider = parts.deciderOf(payload.user.id);
  return later(parts, async () => {
    const text =
      decider === null
        ? notAReviewer(payload.user.id)
        : await failing(parts, reject(engine, rejection, decider));
    await parts.replier.say({ ...rejection.pressed, user: payload.user.id }, text);
  });
}

function answer(body = '', work: Promise<void> = Promise.resolve()): InteractionAnswer {
  return { status: 200, body, work };
}

function notAReviewer(user: string): string {
  return `You are not a reviewer, so nothing was decided. Ask the operator to add ${outsideSpan(`${user}:your name`, 90)} to SLACK_REVIEWERS.`;
}

/** A bug is reported in general terms and logged in full. */
async function failing({ logger }: Parts, work: Promise<string>): Promise<string> {
  try {
    return await work;
  } catch (error) {
    logger.error({ err: error }, 'a button press in Slack failed');
    return 'An internal error occurred; see the log. Decide on the board.';
  }
}

/** Responds first: Slack waits at most 3 s for each response, and work for one request would delay the others. */
function later({ logger }: Parts, work: () => Promise<void>): InteractionAnswer {
  const begun = new Promise<void>((resolve) => void setImmediate(resolve)).then(work);
  return answer(
    '',
    begun.catch((error: unknown) => logger.warn({ err: error }, 'a button press in Slack failed')),
  );
}
