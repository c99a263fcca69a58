import { setTimeout as pause } from 'node:timers/promises';
import { CulpritError, isCulpritError } from '@culprit/core/connector';
import type { Desk, Tokens } from '@culprit/core/internal/ports/investigator';
import type { Conversation, ModelAnswer, ModelClient } from './client.js';
import { inTime } from './explainer.js';
import { bytes, type Prompt } from './prompt/render-prompt.js';

/** Tokens of one answer of an investigation. */
const ANSWER_TOKENS = 2_048;
/** Bytes of a token, at least: source has 3 to 4, encoded data half of that. */
const TOKEN_BYTES = 1.5;
const AGAIN_MS = 1_000;
/** A refusal costs nothing. */
const NOTHING: Tokens = { input: 0, output: 0 };

/** A model that is called only through a desk. */
export interface DeskModel {
  converse(conversation: Omit<Conversation, 'tokens'>): Promise<ModelAnswer | null>;
  chat(prompt: Prompt): Promise<ModelAnswer>;
}

/** A call that fails is made once more; each has the time limit. */
export function deskModel(
  desk: Pick<Desk, 'call'>,
  client: ModelClient,
  timeoutMs: number,
  signal: AbortSignal,
): DeskModel {
  const call = async <Answer extends ModelAnswer | null>(
    sent: object,
    ask: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> => {
    const most = { input: Math.ceil(bytes(JSON.stringify(sent)) / TOKEN_BYTES), output: ANSWER_TOKENS };
    const once = async () => {
      const { answer } = await desk.call(most, (until) =>
        inTime(timeoutMs, AbortSignal.any([signal, until]), async (limit) => {
          const answer = await ask(limit);
          return { answer, used: answer === null ? NOTHING : answer.used };
        }),
      );
      return answer;
    };
    try {
      return await once();
    } catch (error) {
      signal.throwIfAborted();
      if (!isCulpritError(error, 'explainer_failed')) throw error;
      await pause(AGAIN_MS, undefined, { signal });
      return once();
    }
  };
  return {
    converse: (asked) => call(asked, (until) => client.converse({ ...asked, tokens: ANSWER_TOKENS }, until)),
    chat: (prompt) => call(prompt, (until) => client.chat(prompt, until, ANSWER_TOKENS)),
  };
}

/** The error of a model that gives no usable answer. */
export function giveUp(why: string): CulpritError {
  return new CulpritError('investigator_failed', `the model did not finish its investigation: ${why}`);
}
