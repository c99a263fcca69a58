import { type Check, isCulpritError } from '@culprit/core';
import type { OllamaClient } from './client.js';
import type { OllamaConfig } from './config.js';
import { explanationOf, failed } from './map.js';
import { ANSWER_SCHEMA } from './prompt/v1.js';

/** The shortest answer that the schema allows. */
const TINY = {
  system: 'You answer with one JSON object and nothing else.',
  user: 'There is no evidence. Answer {"insufficient": true, "claims": []}.',
  schema: ANSWER_SCHEMA,
} as const;

/**
 * Whether the server is reachable and has the model and, with `tryAnswering`, whether the model answers as the schema requires.
 * Optional: without it explanations are deterministic.
 */
export async function checkOllama(
  client: OllamaClient,
  { host, model, tryAnswering }: OllamaConfig,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const say = (ok: boolean, detail: string): readonly Check[] => [
    { name: 'ollama', ok, detail, optional: true },
  ];
  try {
    const models = await client.models(signal);
    const wanted = model.includes(':') ? model : `${model}:latest`;
    if (!models.includes(wanted))
      return say(false, `${host} does not have ${model}. Run: ollama pull ${model}`);
  } catch (error) {
    return say(
      false,
      `${host}: ${reasonOf(error)}. Start Ollama, or unset OLLAMA_MODEL. Until then explanations are deterministic.`,
    );
  }
  if (!tryAnswering) return say(true, `${model} at ${host}. The deterministic template is the fallback.`);
  const before = performance.now();
  try {
    const { content, cut } = await client.chat(TINY, signal);
    if (cut) throw failed(`the answer exceeded its token budget${came(content)}`);
    parsed(content, model);
    const seconds = ((performance.now() - before) / 1_000).toFixed(1);
    return say(
      true,
      `${model} at ${host} answered in ${seconds} s. The deterministic template is the fallback.`,
    );
  } catch (error) {
    const detail = `${model} at ${host} gives no usable answer: ${reasonOf(error)}. Choose another OLLAMA_MODEL. Until then explanations are deterministic.`;
    return say(false, detail);
  }
}

function parsed(content: string, model: string): void {
  try {
    explanationOf(content, model);
  } catch (error) {
    throw failed(`${reasonOf(error)}${came(content)}`);
  }
}

/** What the model wrote, for a person who chooses a model. */
function came(content: string): string {
  return content.trim() === '' ? '' : `: ${JSON.stringify(content.slice(0, 80))}`;
}

function reasonOf(error: unknown): string {
  return isCulpritError(error) ? error.message : 'no answer in time';
}
