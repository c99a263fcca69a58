import { type CulpritError, isCulpritError } from '@culprit/core/connector';
import * as v from 'valibot';
import type { ModelAnswer, ModelClient } from '../shared/model/client.js';
import { failed } from '../shared/model/explainer.js';
import type { Prompt } from '../shared/model/prompt/render-prompt.js';
import { modelServer } from '../shared/model/server.js';
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

export function ollamaClient(config: OllamaConfig, fetch: typeof globalThis.fetch): ModelClient {
  const { host: url, model, answerTokens, answerBytes } = config;
  const server = modelServer({ name: 'Ollama', url, fetch });
  const asked = async (path: string, body: object | null, most: number, signal: AbortSignal) => {
    const response = await server.ask(path, body, signal);
    if (!response.ok) throw refused(response.status, await server.reason(response, signal));
    return server.text(response, most, signal);
  };
  /** How the model is told to think as little as it can, once known. A server that does not say decides for itself. */
  let think: Think | null = null;
  const leastThinking = async (signal: AbortSignal): Promise<Think> => {
    if (think !== null) return think;
    try {
      const shown = server.parse(await asked('/api/show', { model }, SHOW_BYTES, signal));
      const parsed = v.safeParse(modelDescription, shown);
      think = parsed.success ? firstThink(parsed.output) : 'unsaid';
      return think;
    } catch {
      // The chat reports what is wrong with the server.
      signal.throwIfAborted();
      return 'unsaid';
    }
  };
  const self: ModelClient = {
    async chat(prompt, signal, tokens = answerTokens) {
      // Without `think` a thinking model thinks, and its thoughts use up `num_predict` before the answer.
      const least = await leastThinking(signal);
      const body = { ...chatRequest(config, prompt, tokens), ...(least !== 'unsaid' && { think: least }) };
      try {
        const text = await asked('/api/chat', body, answerBytes, signal);
        const answer = answerIn(
          text
            .split('\n')
            .filter((line) => line.trim() !== '')
            .map(server.parse),
        );
        const otherwise = least === false && answer.thought;
        // Some models know no off, and ignore it: they have levels.
        if (otherwise && think === false) think = 'low';
        return { ...answer, otherwise };
      } catch (error) {
        // Only some models have levels; the others refuse them before they answer.
        if (think !== 'low' || !isCulpritError(error) || !NO_LEVELS.test(error.message)) throw error;
        think = 'unsaid';
        return self.chat(prompt, signal, tokens);
      }
    },
    async models(signal) {
      const parsed = v.safeParse(modelList, server.parse(await asked('/api/tags', null, LIST_BYTES, signal)));
      if (!parsed.success) throw failed('Ollama sent an unreadable response');
      return parsed.output.models.map(({ name, digest }) => ({
        name,
        version: digest?.slice(0, DIGEST) ?? null,
      }));
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
    stream: true,
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

/** The answer in the lines of a response. The list of models has the version. */
function answerIn(lines: readonly unknown[]): Omit<ModelAnswer, 'otherwise'> {
  const chunks = lines.map((line) => {
    const parsed = v.safeParse(chatChunk, line);
    if (!parsed.success) throw failed('Ollama sent an unreadable response');
    const { error } = parsed.output;
    if (error !== undefined) throw failed(`Ollama reported: ${error.slice(0, 160)}`);
    return parsed.output;
  });
  if (chunks.at(-1)?.done !== true) throw failed('Ollama’s response was interrupted');
  return {
    content: chunks.map(({ message }) => message?.content ?? '').join(''),
    cut: chunks.some(({ done_reason }) => done_reason === 'length'),
    thought: chunks.some(({ message }) => Boolean(message?.thinking)),
    served: null,
  };
}

const refusal = v.object({ error: v.string() });

function refused(status: number, body: string): CulpritError {
  let reason = '';
  try {
    reason = `: ${v.parse(refusal, JSON.parse(body)).error.slice(0, 160)}`;
  } catch {
    // Not Ollama's own format, as of a proxy: the status must do.
  }
  if (status === 404 && /model/i.test(reason))
    return failed('Ollama does not have the model; run ollama pull');
  return failed(`Ollama returned ${status}${reason}`);
}
