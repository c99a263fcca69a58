import { defineConnector } from '@culprit/core/connector';
import { modelParts } from '../shared/model/parts.js';
import { openaiClient } from './client.js';
import { openaiConfig } from './config.js';

/**
 * Explanations by a model behind an OpenAI-compatible address (llama.cpp, vLLM, LM Studio, hosted): one call each, with fixed
 * budgets and structured output; nothing is executed. List it before `template()`, which is the fallback.
 */
export const openai = defineConnector({
  id: 'openai',
  config: openaiConfig,
  setup: (config, context) => {
    const { model, url: server } = config;
    const checked = {
      name: 'openai',
      client: openaiClient(config, context.fetch),
      server,
      listedAs: model,
      fetchIt: 'Choose one that GET /models names.',
      setting: 'OPENAI_MODEL',
    };
    return modelParts(checked, config, context);
  },
});
export { modelUrl } from './config.js';
