import { isCulpritError } from '@culprit/core';
import { untilAborted } from '@culprit/core/resilience';
import type { ChatResponse } from 'ollama';
import * as v from 'valibot';
import { loadLibrary } from '../shared/load-library.js';
import { failed } from '../shared/model/answer.js';
import type { ModelAnswer, ModelClient } from '../shared/model/client.js';
import type { Prompt } from '../shared/model/prompt/render-prompt.js';
import type { OllamaConfig } from './config.js';
import { guardedFetch } from './guarded-fetch.js';
import { modelDescription, modelList } from './schema.js';

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
  /** How the model is told to think as little as it can, once known. A server that does not say decides for itself. */
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
