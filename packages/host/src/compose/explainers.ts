import { ollama } from '@culprit/connectors/ollama';
import { openai } from '@culprit/connectors/openai';
import { template } from '@culprit/connectors/template';
import { type Connector, CulpritError } from '@culprit/core';
import type { Config } from '../config/config.js';
import { isReadable } from '../config/network.js';

/** The model if one is configured, then the template, which is also used if the model fails. */
export function composeExplainers(config: Config, checking = false): readonly Connector[] {
  const model = modelOf(config, checking);
  return model === null ? [template({})] : [model, template({})];
}

function modelOf(config: Config, checking: boolean): Connector | null {
  const { ollamaHost: host, ollamaModel, openaiModel } = config;
  if (ollamaModel !== null && openaiModel !== null)
    throw refusal('openaiModel', 'OLLAMA_MODEL and OPENAI_MODEL are both set. Unset one of them.');
  const shared = { tryAnswering: checking, probeAtStart: !checking };
  if (ollamaModel !== null)
    return ollama({ model: ollamaModel, ...shared, ...(host === null ? {} : { host }) });
  return openaiModel === null ? null : openai({ model: openaiModel, ...shared, ...serverOf(config) });
}

function serverOf({ openaiBaseUrl: url, openaiApiKey: key, allowPlaintext }: Config) {
  if (url === null)
    throw refusal(
      'openaiBaseUrl',
      'OPENAI_MODEL needs OPENAI_BASE_URL, the address before /chat/completions.',
    );
  if (key === null) return { url };
  if (isReadable(url) && !allowPlaintext)
    throw refusal(
      'openaiBaseUrl',
      'OPENAI_BASE_URL must start with https:// because OPENAI_API_KEY is sent there; ALLOW_PLAINTEXT=1 overrides this.',
    );
  return { url, apiKey: key.reveal() };
}

function refusal(path: 'openaiModel' | 'openaiBaseUrl', detail: string): CulpritError {
  return new CulpritError('configuration', detail, { path });
}

/** One line for the banner and `doctor`. */
export function describeModel(config: Config): string {
  const { ollamaHost: host, ollamaModel, openaiModel, openaiBaseUrl } = config;
  const at = (model: string, server: string) => `${model} at ${server}; the template is the fallback`;
  if (ollamaModel !== null) return at(ollamaModel, host ?? 'this machine');
  if (openaiModel !== null) return at(openaiModel, openaiBaseUrl ?? 'no address');
  const how =
    host === null
      ? 'Set OLLAMA_MODEL or OPENAI_MODEL to turn it on.'
      : 'OLLAMA_HOST is set, OLLAMA_MODEL is not.';
  return `off; explanations are deterministic. ${how}`;
}
