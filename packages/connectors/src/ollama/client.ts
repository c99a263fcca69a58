import { isCulpritError } from '@culprit/core/connector';
import { untilAborted } from '@culprit/core/internal/resilience/time-limit';
import type { ChatResponse } from 'ollama';
import * as v from 'valibot';
import { boundedText } from '../shared/bounded-text.js';
import { loadLibrary } from '../shared/load-library.js';
import type { ModelAnswer, ModelClient } from '../shared/model/client.js';
import { failed } from '../shared/model/explainer.js';
import type { Prompt } from '../shared/model/prompt/render-prompt.js';
import type { OllamaConfig } from './config.js';

/** One line of a `/api/chat` response. */
const chatChunk = v.object({
  message: v.optional(v.object({ content: v.optional(v.string(), ''), thinking: v.optional(v.string()) })),
  done: v.optional(v.boolean(), false),
  done_reason: v.optional(v.string()),
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
  details: v.optional(v.object({ family: v.optional(v.string()) }), {}),
});

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
  /** How the model is asked to think as little as it can, once known. A server that does not say decides for itself. */
  let think: Think | null = null;
  const leastThinking = async (signal: AbortSignal): Promise<Think> => {
    if (think !== null) return think;
    const client = await open(signal, { mostBytes: SHOW_BYTES, chat: false });
    try {
      const parsed = v.safeParse(modelDescription, await client.show({ model: config.model }));
      think = parsed.success ? firstThink(parsed.output) : 'unsaid';
      return think;
    } catch {
      // The chat reports what is wrong with the server.
      signal.throwIfAborted();
      return 'unsaid';
    }
  };
  const self: ModelClient = {
    async chat(prompt, signal, tokens = config.answerTokens) {
      const client = await open(signal, { mostBytes: config.answerBytes, chat: true });
      const abort = () => client.abort();
      signal.addEventListener('abort', abort, { once: true });
      try {
        // Without `think` a thinking model thinks, and its thoughts use up `num_predict` before the answer.
        const asked = await leastThinking(signal);
        const stream = await client.chat({
          ...chatRequest(config, prompt, tokens),
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
          return self.chat(prompt, signal, tokens);
        }
        throw translated(error, signal);
      } finally {
        signal.removeEventListener('abort', abort);
      }
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
  return self;
}

/** `truncate: false`: a prompt that is too long fails. Otherwise Ollama drops its beginning, which has the rules. */
function chatRequest(config: OllamaConfig, { system, user, schema }: Prompt, tokens: number) {
  const { model, keepAlive, contextTokens } = config;
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    ...(schema === null ? {} : { format: schema }),
    keep_alive: keepAlive,
    truncate: false,
    options: { temperature: 0, seed: 1, num_predict: tokens, num_ctx: contextTokens },
  };
}

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
  for await (const { message, done_reason } of stream) {
    content += message?.content ?? '';
    if (message?.thinking) thought = true;
    if (done_reason === 'length') cut = true;
  }
  // The list of models has the version.
  return { content, cut, thought, served: null };
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
