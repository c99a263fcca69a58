import { isCulpritError } from '@culprit/core';
import * as v from 'valibot';
import { boundedText } from '../shared/bounded-text.js';
import { failed } from '../shared/model/answer.js';
import type { ModelAnswer, ModelClient } from '../shared/model/client.js';
import type { OpenaiConfig } from './config.js';
import { after, type Dialect, FIRST, requestBody } from './dialect.js';
import { completion, modelList } from './schema.js';

const LIST_BYTES = 4_194_304;
/** Bytes of an error response that are read for its reason. */
const REASON_BYTES = 4_096;
/** A dialect has four members with at most four changes. */
const MOST_REFUSALS = 8;

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
      for (let refusals = 0; ; refusals += 1) {
        const asked = dialect;
        const body = JSON.stringify(requestBody(config, prompt, tokens, asked));
        const response = await request('/chat/completions', { method: 'POST', body }, signal);
        if (response.ok) return answerOf(await readJson(response, config.answerBytes, signal));
        const reason = await readText(response, REASON_BYTES, signal, false);
        const next = [400, 422].includes(response.status) ? after(reason, asked) : null;
        if (next === null || refusals === MOST_REFUSALS) throw refused(response.status, reason);
        dialect = next;
      }
    },
    async models(signal) {
      const response = await request('/models', { method: 'GET' }, signal);
      // Some servers and gateways have no list.
      if ([404, 405, 501].includes(response.status)) return null;
      if (!response.ok) throw refused(response.status, await readText(response, REASON_BYTES, signal, false));
      const parsed = v.safeParse(modelList, await readJson(response, LIST_BYTES, signal));
      return parsed.success ? parsed.output.data.map(({ id }) => id) : null;
    },
  };
}

/** Thoughts that a server left in the answer, and a fence around it: what models write if no schema is enforced. */
const THOUGHTS = /^\s{0,100}<think>[\s\S]*?<\/think>/;

function answerOf(received: unknown): ModelAnswer {
  const parsed = v.safeParse(completion, received);
  if (!parsed.success) throw failed('the model server sent an unreadable response');
  const [choice] = parsed.output.choices;
  if (choice === undefined) throw failed('the model server sent no answer');
  const { message, finish_reason } = choice;
  if (message.refusal || finish_reason === 'content_filter') throw failed('the model refused to answer');
  const content = message.content ?? '';
  const thoughts = THOUGHTS.exec(content)?.[0] ?? '';
  const plain = content.slice(thoughts.length);
  return {
    content: unfenced(plain.trim()),
    cut: finish_reason === 'length',
    thought: thoughts !== '' || Boolean(message.reasoning_content) || Boolean(message.reasoning),
  };
}

/** Without the fence around it, if it has one. */
function unfenced(text: string): string {
  const start = text.indexOf('\n');
  const end = text.lastIndexOf('\n');
  if (end <= start || !/^```(?:json)?\r?$/.test(text.slice(0, start)) || text.slice(end + 1) !== '```')
    return text;
  return text.slice(start + 1, end);
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

const problem = v.object({ error: v.union([v.string(), v.object({ message: v.string() })]) });

function refused(status: number, reason: string) {
  let detail = '';
  try {
    const parsed = v.safeParse(problem, JSON.parse(reason));
    if (parsed.success) {
      const { error } = parsed.output;
      detail = `: ${(typeof error === 'string' ? error : error.message).slice(0, 160)}`;
    }
  } catch {
    // Not the usual format: the status must do.
  }
  if (status === 401 || status === 403) return failed(`the model server refused the key (${status})`);
  if (status === 404) return failed(`the model server has no such model or address (404)${detail}`);
  return failed(`the model server returned ${status}${detail}`);
}
