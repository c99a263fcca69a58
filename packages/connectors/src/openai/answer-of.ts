import type { CulpritError } from '@culprit/core/connector';
import * as v from 'valibot';
import type { ModelAnswer } from '../shared/model/client.js';
import { failed } from '../shared/model/explainer.js';
import { argumentsOf, sentCall, toolCallOf } from '../shared/model/tools.js';

const problem = v.object({ error: v.union([v.string(), v.object({ message: v.string() })]) });
const LONGEST = 160;

/** What a server says is wrong, in the usual form; `null` if it is another. */
function errorText(received: unknown): string | null {
  const parsed = v.safeParse(problem, received);
  if (!parsed.success) return null;
  const { error } = parsed.output;
  return (typeof error === 'string' ? error : error.message).slice(0, LONGEST);
}

/** The error for a refusal with this status and body. */
export function refused(status: number, body: string): CulpritError {
  const text = errorText(jsonOf(body));
  const detail = text === null ? '' : `: ${text}`;
  if (status === 401 || status === 403) return failed(`the model server refused the key (${status})`);
  if (status === 404) return failed(`the model server has no such model or address (404)${detail}`);
  return failed(`the model server returned ${status}${detail}`);
}

/** Whether a refusal means that the server, or its model, knows no tools. A prompt that is too long may mention them, too. */
export function refusesTools(reason: string): boolean {
  return /tool|function|jinja/i.test(reason) && !/context|too long|rate limit/i.test(reason);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not the usual form: the status must do.
    return null;
  }
}

/** Mistral writes thoughts and answer as parts of the content. */
const contentParts = v.array(v.object({ type: v.optional(v.string()), text: v.nullish(v.unknown()) }));

/** `POST /chat/completions`, not streamed. `reasoning_content` is written by llama.cpp, vLLM and DeepSeek, `reasoning` by newer vLLM and OpenRouter. */
const completion = v.object({
  model: v.nullish(v.string()),
  /** The build of llama.cpp; of hosted services their configuration. */
  system_fingerprint: v.nullish(v.string()),
  choices: v.pipe(
    v.array(
      v.object({
        finish_reason: v.nullish(v.string()),
        message: v.looseObject({
          content: v.nullish(v.union([v.string(), contentParts])),
          refusal: v.nullish(v.string()),
          reasoning_content: v.nullish(v.string()),
          reasoning: v.nullish(v.string()),
          tool_calls: v.nullish(v.array(sentCall)),
        }),
      }),
    ),
    v.minLength(1),
  ),
  usage: v.nullish(v.object({ prompt_tokens: v.number(), completion_tokens: v.number() })),
});

/** `GET /models` */
export const modelList = v.object({ data: v.array(v.object({ id: v.string() })) });

/** Longest name of a model and version that is kept. */
const LONGEST_NAME = 100;

/**
 * The answer in a completion of `model`. `asksJson`: a schema was asked for. Servers with a parser for thoughts sometimes take the whole
 * constrained answer for them (lmstudio-ai/lmstudio-bug-tracker 1698, vllm-project/vllm 15618): then the content is empty, and what
 * they call thoughts is the answer.
 */
export function answerOf(
  received: unknown,
  model: string,
  asksJson: boolean,
): Omit<ModelAnswer, 'otherwise'> {
  const parsed = v.safeParse(completion, received);
  if (!parsed.success) {
    const error = errorText(received);
    throw failed(
      error === null ? 'the model server sent an unreadable response' : `the model server failed: ${error}`,
    );
  }
  const { model: named, system_fingerprint: build, usage } = parsed.output;
  const [choice] = parsed.output.choices;
  if (choice === undefined) throw failed('the model server sent no answer');
  const { message, finish_reason } = choice;
  if (message.refusal || finish_reason === 'content_filter') throw failed('the model refused to answer');
  const parts = typeof message.content === 'string' ? [{ text: message.content }] : (message.content ?? []);
  const written = parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
  const reasoning = message.reasoning_content || message.reasoning || '';
  const isMisplaced =
    asksJson && written.trim() === '' && reasoning.trim() !== '' && argumentsOf(reasoning) !== null;
  const { thoughts, answer } = split(isMisplaced ? reasoning : written);
  return {
    content: unfenced(answer),
    cut: finish_reason === 'length',
    thought: thoughts || (!isMisplaced && reasoning !== '') || parts.some(isThinking),
    served: [named === model ? null : named, build].filter(Boolean).join(', ').slice(0, LONGEST_NAME) || null,
    used: usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : null,
    message,
    calls: (message.tool_calls ?? []).map(toolCallOf),
  };
}

const isThinking = (part: { readonly type?: string | undefined }) => part.type === 'thinking';

const OPEN = '<think>';
const CLOSE = '</think>';

/** Without thoughts that a server left in the answer. Some chat templates write the opening tag themselves, so that only the closing one is there. */
function split(content: string): { readonly thoughts: boolean; readonly answer: string } {
  const text = content.trim();
  const end = /^(?:\{|```)/.test(text) ? -1 : text.indexOf(CLOSE);
  if (end === -1) return { thoughts: text.startsWith(OPEN), answer: text };
  return {
    thoughts: text.slice(0, end).replace(OPEN, '').trim() !== '',
    answer: text.slice(end + CLOSE.length).trim(),
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
