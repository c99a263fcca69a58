import { defineConnector } from '@culprit/core';
import { checkOllama } from './check.js';
import { ollamaClient } from './client.js';
import { ollamaConfig } from './config.js';
import { ollamaExplainer } from './explainer.js';

/**
 * Explanations by a model that Ollama serves: one call with fixed budgets, structured output, nothing executed. List it
 * before `template()`, which answers when the model does not.
 */
export const ollama = defineConnector({
  id: 'ollama',
  config: ollamaConfig,
  setup: (config, { fetch }) => {
    const client = ollamaClient(config, fetch);
    return {
      explainer: ollamaExplainer({ client, config, now: () => performance.now() }),
      check: (signal) => checkOllama(client, config, signal),
    };
  },
});
export { modelHost } from './config.js';
