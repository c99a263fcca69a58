import { isCulpritError } from '@culprit/core/connector';
import * as v from 'valibot';
import { boundedText } from '../shared/bounded-text.js';
import type { Conversation, Message, ModelAnswer, ModelClient } from '../shared/model/client.js';
import { failed } from '../shared/model/explainer.js';
import type { Prompt } from '../shared/model/prompt/render-prompt.js';
import { argumentsOf } from '../shared/model/tools.js';
import { answerOf, modelList, refused, refusesTools } from './answer-of.js';
import type { OpenaiConfig } from './config.js';

const LIST_BYTES = 4_194_304;
/** Bytes of an error response that are read for its reason. */
const REASON_BYTES = 4_096;
/** A dialect has six members with at most four changes. */
const MAX_REFUSALS = 10;

/** A response that is none of an answer. */
interface Refusal {
  readonly status: number;
  readonly reason: string;
}

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
  const complete = async (
    bodyIn: (dialect: Dialect) => object,
    asksJson: boolean,
    signal: AbortSignal,
  ): Promise<ModelAnswer | Refusal> => {
    let asked = dialect;
    for (let refusals = 0; ; refusals += 1) {
      const body = JSON.stringify(bodyIn(asked));
      const response = await request('/chat/completions', { method: 'POST', body }, signal);
      if (response.ok) {
        // Only now: a refusal may have had another cause, and repeat words of the prompt.
        dialect = asked;
        const received = await readJson(response, config.answerBytes, signal);
        const answer = answerOf(received, config.model, asksJson);
        const next = answer.thought ? lessThinking(asked) : null;
        dialect = next ?? asked;
        return { ...answer, otherwise: next !== null };
      }
      const { status } = response;
      const reason = await readText(response, REASON_BYTES, signal, false);
      const next = [400, 422].includes(status) ? after(reason, asked) : null;
      if (next === null || refusals === MAX_REFUSALS) return { status, reason };
      asked = next;
    }
  };
  return {
    async chat(prompt, signal, tokens = config.answerTokens) {
      const body = (asked: Dialect) => requestBody(config, prompt, tokens, asked);
      const answer = await complete(body, prompt.schema !== null, signal);
      if ('reason' in answer) throw refused(answer.status, answer.reason);
      return answer;
    },
    async converse(conversation, signal) {
      const body = (asked: Dialect) => conversationBody(config, conversation, asked);
      const answer = await complete(body, false, signal);
      if (!('reason' in answer)) return answer;
      if (refusesTools(answer.reason)) return null;
      throw refused(answer.status, answer.reason);
    },
    async models(signal) {
      const response = await request('/models', { method: 'GET' }, signal);
      // Some servers and gateways have no list.
      if ([404, 405, 501].includes(response.status)) return null;
      if (!response.ok) throw refused(response.status, await readText(response, REASON_BYTES, signal, false));
      const parsed = v.safeParse(modelList, await readJson(response, LIST_BYTES, signal));
      return parsed.success ? parsed.output.data.map(({ id }) => ({ name: id, version: null })) : null;
    },
    size: async () => null,
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
  /** `tool_choice`, where the model must call a tool. Some servers refuse it for models that think. */
  readonly choice: boolean;
}

const FIRST: Dialect = {
  format: 'json_schema',
  limit: 'max_tokens',
  template: true,
  effort: 'later',
  fixed: true,
  choice: true,
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
  config: OpenaiConfig,
  { system, user, schema }: Prompt,
  tokens: number,
  dialect: Dialect,
): object {
  return {
    ...common(config, tokens, dialect),
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    ...(schema === null ? {} : formatOf(dialect.format, schema)),
  };
}

function conversationBody(config: OpenaiConfig, asked: Conversation, dialect: Dialect): object {
  return {
    ...common(config, asked.tokens, dialect),
    messages: asked.messages.map(messageOf),
    tools: asked.tools.map((tool) => ({ type: 'function', function: tool })),
    ...(asked.forced && dialect.choice ? { tool_choice: 'required' } : {}),
  };
}

function messageOf(message: Message): object {
  const { role, content } = message;
  if (role === 'tool') return { role, tool_call_id: message.call.id, content };
  if (role !== 'assistant' || message.calls.length === 0) return { role, content };
  const sent = (message.message ?? {}) as { readonly tool_calls?: readonly object[] };
  const tool_calls = message.calls.map(({ id, name, arguments: given }, index) => ({
    ...sent.tool_calls?.[index],
    ...{ id, type: 'function', function: { name, arguments: JSON.stringify(argumentsOf(given) ?? {}) } },
  }));
  return { content: content || null, ...sent, role, tool_calls };
}

function common({ model }: OpenaiConfig, tokens: number, dialect: Dialect): object {
  const { limit, template, effort, fixed } = dialect;
  return {
    model,
    stream: false,
    [limit]: tokens,
    ...(fixed ? { temperature: 0, seed: 1 } : {}),
    ...(template ? { chat_template_kwargs: { enable_thinking: false } } : {}),
    ...(isSaid(effort) ? { reasoning_effort: effort } : {}),
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
  if (names(/tool_choice/) && now.choice) return { ...now, choice: false };
  if (names(/response_format|json_schema|json_object|grammar|schema/i) && now.format !== 'none')
    return { ...now, format: NEXT_FORMAT[now.format] };
  return null;
}
