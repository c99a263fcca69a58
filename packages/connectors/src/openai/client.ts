import { isCulpritError } from '@culprit/core';
import * as v from 'valibot';
import { boundedText } from '../shared/bounded-text.js';
import { failed } from '../shared/model/answer.js';
import type { ModelClient } from '../shared/model/client.js';
import { answerOf } from './answer-of.js';
import type { OpenaiConfig } from './config.js';
import { after, type Dialect, FIRST, lessThinking, requestBody } from './dialect.js';
import { refused } from './refusal.js';
import { modelList } from './schema.js';

const LIST_BYTES = 4_194_304;
/** Bytes of an error response that are read for its reason. */
const REASON_BYTES = 4_096;
/** A dialect has five members with at most four changes. */
const MOST_REFUSALS = 9;

/** Speaks to one server. What it refuses is not sent again. */
export function openaiClient(config: OpenaiConfig, fetch: typeof globalThis.fetch): ModelClient {
  let dialect: Dialect = FIRST;
  const headers = {
    'content-type': 'application/json',
    ...(config.apiKey === undefined ? {} : { authorization: `Bearer ${config.apiKey}` }),
  };
  const request = async (path: string, init: RequestInit, signal: AbortSignal): Promise<Response> => {
    try {
      return await fetch(`${config.url}${path}`, { ...init, headers, signal, redirect: 'error' });
    } catch (error) {
      signal.throwIfAborted();
      throw failed('the model server is unreachable', error);
    }
  };
  return {
    async chat(prompt, signal, tokens = config.answerTokens) {
      let asked = dialect;
      for (let refusals = 0; ; refusals += 1) {
        const body = JSON.stringify(requestBody(config, prompt, tokens, asked));
        const response = await request('/chat/completions', { method: 'POST', body }, signal);
        if (response.ok) {
          // Only now: a refusal may have had another cause, and repeat words of the prompt.
          dialect = asked;
          const received = await readJson(response, config.answerBytes, signal);
          const answer = answerOf(received, config.model, prompt.schema !== null);
          const next = answer.thought ? lessThinking(asked) : null;
          dialect = next ?? asked;
          return { ...answer, otherwise: next !== null };
        }
        const reason = await readText(response, REASON_BYTES, signal, false);
        const next = [400, 422].includes(response.status) ? after(reason, asked) : null;
        if (next === null || refusals === MOST_REFUSALS) throw refused(response.status, reason);
        asked = next;
      }
    },
    async models(signal) {
      const response = await request('/models', { method: 'GET' }, signal);
      // Some servers and gateways have no list.
      if ([404, 405, 501].includes(response.status)) return null;
      if (!response.ok) throw refused(response.status, await readText(response, REASON_BYTES, signal, false));
      const parsed = v.safeParse(modelList, await readJson(response, LIST_BYTES, signal));
      return parsed.success ? parsed.output.data.map(({ id }) => ({ name: id, version: null })) : null;
    },
  };
}

async function readJson(response: Response, most: number, signal: AbortSignal): Promise<unknown> {
  const text = await readText(response, most, signal, true);
  try {
    return JSON.parse(text);
  } catch {
    throw failed('the model server’s response is not JSON');
  }
}

/** `whole`: more than `most` bytes are an error; otherwise the rest is not read. */
async function readText(
  response: Response,
  most: number,
  signal: AbortSignal,
  whole: boolean,
): Promise<string> {
  try {
    const { text, more } = await boundedText(response, most);
    if (whole && more) throw failed('the answer exceeded its size limit');
    return text;
  } catch (error) {
    signal.throwIfAborted();
    throw isCulpritError(error) ? error : failed('the model server’s response was interrupted', error);
  }
}
