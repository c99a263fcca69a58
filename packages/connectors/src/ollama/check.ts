import { type Check, isCulpritError } from '@culprit/core';
import type { OllamaClient } from './client.js';
import type { OllamaConfig } from './config.js';

/** Whether the server answers and has the model. Without it explanations are deterministic, so it is optional. */
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
      return say(true, `${model} at ${host} explains; the template answers when it cannot.`);
    return say(false, `${host} does not have ${model}. Run: ollama pull ${model}`);
  } catch (error) {
    const why = isCulpritError(error) ? error.message : 'no answer in time';
    return say(
      false,
      `${host}: ${why}. Start Ollama, or unset OLLAMA_MODEL. Until then the template answers.`,
    );
  }
}
