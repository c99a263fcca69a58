import { isCulpritError } from '@culprit/core/connector';
import * as v from 'valibot';
import { boundedText } from '../shared/bounded-text.js';
import type { ModelClient } from '../shared/model/client.js';
import { failed } from '../shared/model/explainer.js';
import type { Prompt } from '../shared/model/prompt/render-prompt.js';
import { answerOf, modelList, refused } from './answer-of.js';
import type { OpenaiConfig } from './config.js';

const LIST_BYTES = 4_194_304;
/** Bytes of an error response that are read for its reason. */
const REASON_BYTES = 4_096;
/** A dialect has five members with at most four changes. */
const MAX_REFUSALS = 9;

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
        if (next === null || refusals === MAX_REFUSALS) throw refused(response.status, reason);
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

/**
 * How one server wants to be asked. Servers share the address and differ in what they accept; those that do not know a member
 * ignore it or refuse the request with 400 or 422, before anything is generated.
 */
interface Dialect {
  /** `json_schema`: OpenAI, llama.cpp, vLLM, LM Studio. `json_object`: older servers. `none`: the prompt alone asks for JSON. */
  readonly format: 'json_schema' | 'json_object' | 'none';
  /** OpenAI's reasoning models refuse `max_tokens`; many other servers know nothing else. */
  readonly limit: 'max_tokens' | 'max_completion_tokens';
  /** Thinking is turned off by the chat template (llama.cpp, vLLM, SGLang). Servers that do not know this ignore or refuse it. */
  readonly template: boolean;
  /** Thinking is turned off, or down, by an effort (OpenAI, Ollama, LM Studio). Not said until the template was ignored or refused. */
  readonly effort: 'later' | 'none' | 'minimal' | 'low' | 'unsaid';
  /** OpenAI's reasoning models refuse a temperature. */
  readonly fixed: boolean;
}

const FIRST: Dialect = {
  format: 'json_schema',
  limit: 'max_tokens',
  template: true,
  effort: 'later',
  fixed: true,
};

const NEXT_FORMAT = { json_schema: 'json_object', json_object: 'none', none: 'none' } as const;
const NEXT_EFFORT = {
  later: 'none',
  none: 'minimal',
  minimal: 'low',
  low: 'unsaid',
  unsaid: 'unsaid',
} as const;

function requestBody(
  { model }: OpenaiConfig,
  { system, user, schema }: Prompt,
  tokens: number,
  { format, limit, template, effort, fixed }: Dialect,
): object {
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    stream: false,
    [limit]: tokens,
    ...(fixed ? { temperature: 0, seed: 1 } : {}),
    ...(schema === null ? {} : formatOf(format, schema)),
    ...(template ? { chat_template_kwargs: { enable_thinking: false } } : {}),
    ...(effort === 'later' || effort === 'unsaid' ? {} : { reasoning_effort: effort }),
  };
}

function formatOf(format: Dialect['format'], schema: object): object {
  if (format === 'none') return {};
  if (format === 'json_object') return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
}

const isSaid = (effort: Dialect['effort']) => effort !== 'later' && effort !== 'unsaid';

/** The dialect for a model that thought although it was asked not to; `null` if there is no other way to ask. */
function lessThinking(now: Dialect): Dialect | null {
  if (now.effort === 'low' || now.effort === 'unsaid') return null;
  return { ...now, effort: NEXT_EFFORT[now.effort] };
}

/** The dialect to try after this refusal; `null` if the refusal names nothing that can be said otherwise. */
function after(refusal: string, now: Dialect): Dialect | null {
  const names = (pattern: RegExp) => pattern.test(refusal);
  if (names(/chat_template_kwargs|enable_thinking/) && now.template)
    return { ...now, template: false, effort: now.effort === 'later' ? 'none' : now.effort };
  if (names(/reasoning_effort|reasoning value|reasoning effort/i) && isSaid(now.effort))
    return { ...now, effort: NEXT_EFFORT[now.effort] };
  if (names(/max_completion_tokens|max_tokens/) && now.limit === 'max_tokens')
    return { ...now, limit: 'max_completion_tokens' };
  if (names(/temperature|\bseed\b/) && now.fixed) return { ...now, fixed: false };
  if (names(/response_format|json_schema|json_object|grammar|schema/i) && now.format !== 'none')
    return { ...now, format: NEXT_FORMAT[now.format] };
  return null;
}
