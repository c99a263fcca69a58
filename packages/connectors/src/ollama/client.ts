import { isCulpritError } from '@culprit/core';
import { untilAborted } from '@culprit/core/resilience';
import type { ChatResponse } from 'ollama';
import * as v from 'valibot';
import { loadLibrary } from '../shared/load-library.js';
import type { OllamaConfig } from './config.js';
import { guardedFetch } from './guarded-fetch.js';
import { failed } from './map.js';
import type { Prompt } from './prompt/render-prompt.js';
import { modelDescription, modelList } from './schema.js';

export interface Answer {
  readonly content: string;
  /** True: `num_predict` ended the answer. */
  readonly cut: boolean;
}

/** The calls that are needed. Failures reject with `explainer_failed`; an aborted signal with its reason. */
export interface OllamaClient {
  /** The answer has the shape of the prompt's schema. */
  chat(prompt: Prompt, signal: AbortSignal): Promise<Answer>;
  models(signal: AbortSignal): Promise<readonly string[]>;
}

const LIST_BYTES = 1_048_576;
/** A model's description contains its licence and the sizes of its tensors. */
const SHOW_BYTES = 8 * 1_048_576;

/** A vendor client per call, so that its `abort` ends only that call. */
export function ollamaClient(config: OllamaConfig, fetch: typeof globalThis.fetch): OllamaClient {
  const open = async (signal: AbortSignal, guards: { mostBytes: number; chat: boolean }) => {
    const { Ollama } = await loadLibrary('The ollama connector', 'ollama', () => import('ollama'));
    signal.throwIfAborted();
    return new Ollama({ host: config.host, fetch: guardedFetch({ fetch, signal, ...guards }) });
  };
  /** Whether the model can think, once known. A server that does not say decides for itself. */
  let thinks: boolean | null = null;
  const canThink = async (signal: AbortSignal): Promise<boolean> => {
    if (thinks !== null) return thinks;
    const client = await open(signal, { mostBytes: SHOW_BYTES, chat: false });
    try {
      const parsed = v.safeParse(modelDescription, await client.show({ model: config.model }));
      thinks = parsed.success && parsed.output.capabilities.includes('thinking');
      return thinks;
    } catch {
      // The chat reports what is wrong with the server.
      signal.throwIfAborted();
      return false;
    }
  };
  return {
    async chat(prompt, signal) {
      const client = await open(signal, { mostBytes: config.answerBytes, chat: true });
      const abort = () => client.abort();
      signal.addEventListener('abort', abort, { once: true });
      try {
        // Without `think` a thinking model thinks, and its thoughts use up `num_predict` before the answer.
        const thinking = (await canThink(signal)) ? { think: false } : {};
        const stream = await client.chat({
          ...chatRequest(config, prompt),
          ...thinking,
          stream: true,
        });
        return await untilAborted(readAnswer(stream), signal);
      } catch (error) {
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
        return parsed.output.models.map(({ name }) => name);
      } catch (error) {
        throw translated(error, signal);
      }
    },
  };
}

/** `truncate: false`: a prompt that is too long fails. Otherwise Ollama drops its beginning, which has the rules. */
function chatRequest(config: OllamaConfig, { system, user, schema }: Prompt) {
  const { model, keepAlive, answerTokens, contextTokens } = config;
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    format: schema,
    keep_alive: keepAlive,
    truncate: false,
    options: { temperature: 0, seed: 1, num_predict: answerTokens, num_ctx: contextTokens },
  };
}

async function readAnswer(stream: AsyncIterable<ChatResponse>): Promise<Answer> {
  let content = '';
  let cut = false;
  for await (const { message, done_reason } of stream) {
    content += message?.content ?? '';
    if (done_reason === 'length') cut = true;
  }
  return { content, cut };
}

function translated(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (isCulpritError(error)) return error;
  return failed('Ollama’s response was interrupted', error);
}
