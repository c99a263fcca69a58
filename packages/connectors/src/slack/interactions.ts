import type { Engine } from '@culprit/core';
import { CulpritError, type Logger, silentLogger, timeLimit } from '@culprit/core/connector';
import * as v from 'valibot';
import { APPROVE, parseShown, REJECT, type Shown } from './button.js';
import { type SlackClient, slackClient } from './client.js';
import { interactionsConfig } from './config.js';
import { approve, type Decider, decidersOf, reject, whyNot } from './decide.js';
import {
  type BlockActions,
  type Pressed,
  parsePayload,
  REASON_MISSING,
  readRejection,
  rejectForm,
  type ViewSubmission,
} from './reject-form.js';
import { outsideSpan } from './text.js';
import { type SignedRequest, seenSignatures, verifiedSignature } from './verify.js';

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

/** Origins of Slack's response URLs. */
const HOOKS = new Set(['https://hooks.slack.com', 'https://hooks.slack-gov.com']);
const REPLY_MS = 10_000;
const ATTEMPTS = 3;

/** A person who pressed a button, and where. */
interface Addressee extends Pressed {
  /** Slack user id. */
  readonly user: string;
}

interface EphemeralReplier {
  /** Sends text that only this person sees. Never rejects. */
  say(to: Addressee, text: string): Promise<void>;
}

interface EphemeralReplierParts {
  readonly apiUrl: string;
  readonly client: SlackClient;
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Replies through the button's response URL, and otherwise through `chat.postEphemeral`: the URL works five times within 30
 * minutes, and a form may stay open for longer. Posts only to Slack, or to the endpoint configured instead.
 */
function ephemeralReplier(parts: EphemeralReplierParts): EphemeralReplier {
  const { apiUrl, client, logger, signal } = parts;
  return {
    async say({ responseUrl, channel, user }, text) {
      if (
        responseUrl !== undefined &&
        isSlack(responseUrl, apiUrl) &&
        (await posted(parts, responseUrl, text))
      )
        return;
      if (signal.aborted) return;
      try {
        if (channel === undefined) throw new Error('the channel is unknown');
        await client.whisper(channel, user, text, timeLimit(REPLY_MS, signal));
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: error }, 'a reply to a person in Slack was not delivered');
      }
    },
  };
}

function isSlack(text: string, apiUrl: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, username } = new URL(text);
  return username === '' && (HOOKS.has(origin) || origin === new URL(apiUrl).origin);
}

/** False: Slack refuses the URL, or is unreachable. */
async function posted(
  { fetch, logger, signal }: EphemeralReplierParts,
  url: string,
  text: string,
): Promise<boolean> {
  const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, text });
  for (let attempt = 1; attempt <= ATTEMPTS && !signal.aborted; attempt++) {
    try {
      const {
        status,
        ok,
        body: rest,
      } = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'manual',
        signal: timeLimit(REPLY_MS, signal),
      });
      await rest?.cancel();
      if (ok) return true;
      if (status < 500 && status !== 429) return false;
    } catch (error) {
      logger.debug({ err: error }, 'a reply to Slack failed');
    }
  }
  return false;
}
