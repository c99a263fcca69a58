import { isCulpritError } from '@culprit/core/connector';
import { untilAborted } from '@culprit/core/internal/resilience/time-limit';
import type { ChatRequest, ChatResponse } from 'ollama';
import * as v from 'valibot';
import { boundedText } from '../shared/bounded-text.js';
import { loadLibrary } from '../shared/load-library.js';
import type { Conversation, Message, ModelAnswer, ModelClient, ToolCall } from '../shared/model/client.js';
import { failed } from '../shared/model/explainer.js';
import type { Prompt } from '../shared/model/prompt/render-prompt.js';
import { argumentsOf, sentCall, toolCallOf } from '../shared/model/tools.js';
import type { OllamaConfig } from './config.js';

/** One line of a `/api/chat` response. */
const chatChunk = v.object({
  message: v.optional(
    v.object({
      content: v.optional(v.string(), ''),
      thinking: v.optional(v.string()),
      tool_calls: v.optional(v.array(sentCall)),
    }),
  ),
  done: v.optional(v.boolean(), false),
  done_reason: v.optional(v.string()),
  prompt_eval_count: v.optional(v.number()),
  eval_count: v.optional(v.number()),
  error: v.optional(v.string()),
});

/** `/api/tags` */
const modelList = v.object({
  models: v.array(
    v.object({ name: v.string(), model: v.optional(v.string()), digest: v.optional(v.string()) }),
  ),
});

/** `/api/show`. Servers before May 2025 do not list capabilities. */
const modelDescription = v.object({
  capabilities: v.optional(v.array(v.string()), []),
  details: v.optional(
    v.object({ family: v.optional(v.string()), parameter_size: v.optional(v.string()) }),
    {},
  ),
});

/** `num_ctx` of a conversation, at least. */
const CONVERSATION_TOKENS = 32_768;
const LIST_BYTES = 1_048_576;
/** Characters of a digest, as `ollama list` shows it. */
const DIGEST = 12;
/** A model's description contains its licence and the sizes of its tensors. */
const SHOW_BYTES = 8 * 1_048_576;

/** A vendor client per call, so that its `abort` ends only that call. */
export function ollamaClient(config: OllamaConfig, fetch: typeof globalThis.fetch): ModelClient {
  const open = async (signal: AbortSignal, guards: { mostBytes: number; chat: boolean }) => {
    const { Ollama } = await loadLibrary('The ollama connector', 'ollama', () => import('ollama'));
    signal.throwIfAborted();
    return new Ollama({ host: config.host, fetch: guardedFetch({ fetch, signal, ...guards }) });
  };
  /** What the server says about the model; `null` if it does not. */
  let described: v.InferOutput<typeof modelDescription> | null = null;
  const describe = async (signal: AbortSignal) => {
    if (described !== null) return described;
    const client = await open(signal, { mostBytes: SHOW_BYTES, chat: false });
    try {
      const parsed = v.safeParse(modelDescription, await client.show({ model: config.model }));
      described = parsed.success ? parsed.output : { capabilities: [], details: {} };
    } catch {
      // The chat reports what is wrong with the server.
      signal.throwIfAborted();
    }
    return described;
  };
  /** How the model is asked to think as little as it can, once known. A server that does not say decides for itself. */
  let think: Think | null = null;
  const leastThinking = async (signal: AbortSignal): Promise<Think> => {
    if (think !== null) return think;
    const description = await describe(signal);
    if (description !== null) think = firstThink(description);
    return think ?? 'unsaid';
  };
  const ask = async (request: ChatRequest, signal: AbortSignal): Promise<ModelAnswer> => {
    const client = await open(signal, { mostBytes: config.answerBytes, chat: true });
    const abort = () => client.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      // Without `think` a thinking model thinks, and its thoughts use up `num_predict` before the answer.
      const asked = await leastThinking(signal);
      const stream = await client.chat({
        ...request,
        ...(asked === 'unsaid' ? {} : { think: asked }),
        stream: true,
      });
      const answer = await untilAborted(readAnswer(stream), signal);
      const otherwise = asked === false && answer.thought;
      // Some models know no off, and ignore it: they have levels.
      if (otherwise && think === false) think = 'low';
      return { ...answer, otherwise };
    } catch (error) {
      // Only some models have levels; the others refuse them before they answer.
      if (think === 'low' && isCulpritError(error) && NO_LEVELS.test(error.message)) {
        think = 'unsaid';
        return ask(request, signal);
      }
      throw translated(error, signal);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };
  return {
    chat: (prompt, signal, tokens = config.answerTokens) => ask(chatRequest(config, prompt, tokens), signal),
    async converse(conversation, signal) {
      try {
        return await ask(conversationRequest(config, conversation), signal);
      } catch (error) {
        if (isCulpritError(error) && NO_TOOLS.test(error.message)) return null;
        throw error;
      }
    },
    async size(signal) {
      const [, figure = '', unit = ''] =
        PARAMETERS.exec((await describe(signal))?.details.parameter_size ?? '') ?? [];
      return figure === '' ? null : Number(figure) * (BILLIONS[unit] ?? 1);
    },
    async models(signal) {
      const client = await open(signal, { mostBytes: LIST_BYTES, chat: false });
      try {
        const parsed = v.safeParse(modelList, await client.list());
        if (!parsed.success) throw failed('Ollama sent an unreadable response');
        return parsed.output.models.map(({ name, digest }) => ({
          name,
          version: digest?.slice(0, DIGEST) ?? null,
        }));
      } catch (error) {
        throw translated(error, signal);
      }
    },
  };
}

function chatRequest(config: OllamaConfig, { system, user, schema }: Prompt, tokens: number) {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
  return {
    ...common(config, tokens, config.contextTokens),
    messages,
    ...(schema === null ? {} : { format: schema }),
  };
}

/** Ollama has no way to say that a tool must be called. */
function conversationRequest(config: OllamaConfig, { messages, tools, tokens }: Conversation) {
  return {
    ...common(config, tokens, Math.max(config.contextTokens, CONVERSATION_TOKENS)),
    messages: messages.map(messageOf),
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
  };
}

function messageOf(message: Message) {
  const { role, content } = message;
  if (role === 'tool') return { role, content, tool_name: message.call.name };
  if (role !== 'assistant' || message.calls.length === 0) return { role, content };
  const tool_calls = message.calls.map((call) => ({
    function: { name: call.name, arguments: { ...argumentsOf(call.arguments) } },
  }));
  return { role, content, tool_calls };
}

/** `truncate: false`: a prompt that is too long fails. Otherwise Ollama drops its beginning, which has the rules. */
function common({ model, keepAlive }: OllamaConfig, tokens: number, contextTokens: number) {
  return {
    model,
    keep_alive: keepAlive,
    truncate: false,
    options: { temperature: 0, seed: 1, num_predict: tokens, num_ctx: contextTokens },
  };
}

const NO_TOOLS = /does not support tools/i;
/** `30.5B`, `137M` */
const PARAMETERS = /^(\d+(?:\.\d+)?)([MBT])$/;
const BILLIONS: Readonly<Record<string, number>> = { M: 0.001, B: 1, T: 1_000 };

/** `think` of a request; `unsaid`: it has none. */
type Think = false | 'low' | 'unsaid';

const NO_LEVELS = /think value|thinking level/i;
/** The families of gpt-oss, which ignores `think: false` (docs.ollama.com/capabilities/thinking). */
const LEVELS_ONLY = /^gpt-?oss/i;

function firstThink({ capabilities, details }: v.InferOutput<typeof modelDescription>): Think {
  if (!capabilities.includes('thinking')) return 'unsaid';
  return LEVELS_ONLY.test(details.family ?? '') ? 'low' : false;
}

async function readAnswer(stream: AsyncIterable<ChatResponse>): Promise<Omit<ModelAnswer, 'otherwise'>> {
  let content = '';
  let cut = false;
  let thought = false;
  let used: ModelAnswer['used'] = null;
  const calls: ToolCall[] = [];
  for await (const { message, done_reason, prompt_eval_count: input, eval_count: output } of stream) {
    content += message?.content ?? '';
    for (const call of message?.tool_calls ?? []) calls.push(toolCallOf(call, calls.length));
    if (message?.thinking) thought = true;
    if (done_reason === 'length') cut = true;
    if (input !== undefined && output !== undefined) used = { input, output };
  }
  // The list of models has the version.
  return { content, calls, message: null, cut, thought, served: null, used };
}

function translated(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (isCulpritError(error)) return error;
  return failed('Ollama’s response was interrupted', error);
}

interface Guards {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** Maximum bytes of a response. */
  readonly mostBytes: number;
  /** True: every line must be a chat chunk. */
  readonly chat: boolean;
}

/** Bytes of an error response that are read for its reason. */
const REASON_BYTES = 2_048;

/**
 * `fetch` for the vendor's library. It also aborts before the response headers arrive (the library's `abort` covers only
 * responses that have started), follows no redirect, limits the bytes read, and passes on only complete, valid lines: the
 * library prints invalid lines to the console and buffers an endless one.
 */
function guardedFetch({ fetch, signal, mostBytes, chat }: Guards): typeof globalThis.fetch {
  // Node 20 may garbage-collect a combined signal that is still in use (nodejs/node#57736).
  const held: AbortSignal[] = [];
  return async (input, init = {}) => {
    const ends = init.signal ? AbortSignal.any([init.signal, signal]) : signal;
    held.push(ends);
    let response: Response;
    try {
      response = await fetch(input, { ...init, signal: ends, redirect: 'error' });
    } catch (error) {
      ends.throwIfAborted();
      throw failed('Ollama is unreachable', error);
    }
    if (!response.ok) throw failed(await reasonOf(response));
    const { body, headers, status } = response;
    if (body === null) return response;
    const guard = chat ? wholeLines(mostBytes) : byteLimit(mostBytes);
    return new Response(body.pipeThrough(guard), { headers, status });
  };
}

async function reasonOf(response: Response): Promise<string> {
  const text = await boundedText(response, REASON_BYTES).then(
    ({ text: some }) => some,
    () => '',
  );
  let reason = '';
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') reason = `: ${error.slice(0, 160)}`;
  } catch {
    // Not Ollama's own error format: the status must do.
  }
  if (response.status === 404 && /model/i.test(reason))
    return 'Ollama does not have the model; run ollama pull';
  return `Ollama returned ${response.status}${reason}`;
}

function byteLimit(most: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > most) throw failed('the answer exceeded its size limit');
      controller.enqueue(chunk);
    },
  });
}

/** The lines of a streamed or unstreamed response. */
function wholeLines(most: number): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let seen = 0;
  let pieces: string[] = [];
  const flush = (controller: TransformStreamDefaultController<Uint8Array>) => {
    const line = pieces.join('');
    pieces = [];
    if (line.trim() === '') return;
    controller.enqueue(encoder.encode(`${JSON.stringify(chunkOf(line))}\n`));
  };
  return new TransformStream({
    transform(bytes, controller) {
      seen += bytes.byteLength;
      if (seen > most) throw failed('the answer exceeded its size limit');
      const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split('\n');
      pieces.push(first);
      for (const piece of rest) {
        flush(controller);
        pieces.push(piece);
      }
    },
    flush(controller) {
      pieces.push(decoder.decode());
      flush(controller);
    },
  });
}

function chunkOf(line: string): v.InferOutput<typeof chatChunk> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw failed('Ollama’s response is not JSON');
  }
  const parsed = v.safeParse(chatChunk, value);
  if (!parsed.success) throw failed('Ollama sent an unreadable response');
  if (parsed.output.error !== undefined)
    throw failed(`Ollama reported: ${parsed.output.error.slice(0, 160)}`);
  return parsed.output;
}
