import type { Prompt } from '../shared/model/prompt/render-prompt.js';
import type { OpenaiConfig } from './config.js';

/**
 * How one server wants to be asked. Servers share the address and differ in what they accept; those that do not know a member
 * ignore it or refuse the request with 400 or 422, before anything is generated.
 */
export interface Dialect {
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

export const FIRST: Dialect = {
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

export function requestBody(
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

/** The dialect for a model that thought although it was told not to; `null` if there is no other way to tell it. */
export function lessThinking(now: Dialect): Dialect | null {
  if (now.effort === 'low' || now.effort === 'unsaid') return null;
  return { ...now, effort: NEXT_EFFORT[now.effort] };
}

/** The dialect to try after this refusal; `null` if the refusal names nothing that can be said otherwise. */
export function after(refusal: string, now: Dialect): Dialect | null {
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
