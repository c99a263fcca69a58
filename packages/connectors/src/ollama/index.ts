import { defineConnector } from '@culprit/core/connector';
import { modelParts } from '../shared/model/parts.js';
import { ollamaClient } from './client.js';
import { ollamaConfig } from './config.js';

/**
 * Explanations by a model on an Ollama server: one call each, with fixed budgets and structured output; nothing is executed. List it
 * before `template()`, which is the fallback.
 */
export const ollama = defineConnector({
  id: 'ollama',
  config: ollamaConfig,
  setup: (config, context) => {
    const { model, host: server } = config;
    const checked = {
      name: 'ollama',
      client: ollamaClient(config, context.fetch),
      server,
      listedAs: model.includes(':') ? model : `${model}:latest`,
      fetchIt: `Run: ollama pull ${model}`,
      setting: 'OLLAMA_MODEL',
    };
    return modelParts(checked, config, context);
  },
});
export { modelHost } from './config.js';
