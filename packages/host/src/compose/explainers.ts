import { modelHost, ollama } from '@culprit/connectors/ollama';
import { openai } from '@culprit/connectors/openai';
import { ollamaSettings, openaiSettings } from '@culprit/connectors/settings';
import { template } from '@culprit/connectors/template';
import type { Connector } from '@culprit/core';
import type { Config } from '../config/config.js';
import { isLoopback } from '../config/network.js';
import { optionsOf } from '../config/own-settings.js';
import { demandPrivate, refused } from './refused.js';

/** The model if one is configured, then the template, which is also used if the model fails. */
export function composeExplainers(config: Config, checking = false): readonly Connector[] {
  const model = modelOf(config, checking);
  return model === null ? [template({})] : [model, template({})];
}

function modelOf(config: Config, checking: boolean): Connector | null {
  const { ollamaModel, openaiModel, openaiBaseUrl: url } = config;
  if (ollamaModel !== null && openaiModel !== null)
    throw refused('openaiModel', 'OLLAMA_MODEL and OPENAI_MODEL are both set. Unset one of them.');
  const investigate = config.investigate !== 'off';
  const shared = { tryAnswering: checking, probeAtStart: !checking, investigate };
  if (ollamaModel !== null)
    return ollama({ ...optionsOf(ollamaSettings, config), model: ollamaModel, ...shared });
  if (openaiModel === null) return null;
  if (url === null)
    throw refused(
      'openaiBaseUrl',
      'OPENAI_MODEL needs OPENAI_BASE_URL, the address before /chat/completions.',
    );
  if (config.openaiApiKey !== null)
    demandPrivate(config, 'openaiBaseUrl', url, 'because OPENAI_API_KEY is sent there');
  return openai({ ...optionsOf(openaiSettings, config), model: openaiModel, url, ...shared });
}

/** Whether the configured model is on this machine, so that nothing leaves it. */
export function isModelLocal({ ollamaModel, ollamaHost, openaiBaseUrl }: Config): boolean {
  const url = ollamaModel === null ? openaiBaseUrl : ollamaHost && modelHost(ollamaHost);
  return url === null || isLoopback(new URL(url).hostname);
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
