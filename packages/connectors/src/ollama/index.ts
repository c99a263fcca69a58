import { defineConnector } from '@culprit/core';
import { checkOllama } from './check.js';
import { ollamaClient } from './client.js';
import { ollamaConfig } from './config.js';
import { ollamaExplainer } from './explainer.js';

/**
 * Explanations by a model on an Ollama server, and with `reader` its second opinion on the first suspects: one call each, with
 * fixed budgets and structured output; nothing is executed. List it before `template()`, which is the fallback.
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
