import { type Check, isCulpritError } from '@culprit/core';
import type { OllamaClient } from './client.js';
import type { OllamaConfig } from './config.js';

/** Whether the server is reachable and has the model. Optional: without it explanations are deterministic. */
export async function checkOllama(
  client: OllamaClient,
  { host, model }: OllamaConfig,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const say = (ok: boolean, detail: string): readonly Check[] => [
    { name: 'ollama', ok, detail, optional: true },
  ];
  try {
    const models = await client.models(signal);
    const wanted = model.includes(':') ? model : `${model}:latest`;
    if (models.includes(wanted))
      return say(true, `${model} at ${host}. The deterministic template is the fallback.`);
    return say(false, `${host} does not have ${model}. Run: ollama pull ${model}`);
  } catch (error) {
    const why = isCulpritError(error) ? error.message : 'no answer in time';
    return say(
      false,
      `${host}: ${why}. Start Ollama, or unset OLLAMA_MODEL. Until then explanations are deterministic.`,
    );
  }
}
