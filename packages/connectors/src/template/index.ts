import { defineConnector } from '@culprit/core';
import * as v from 'valibot';
import { templateExplainer } from './explainer.js';

const connector = defineConnector({
  id: 'template',
  config: v.strictObject({}),
  setup: () => ({
    explainer: templateExplainer,
    check: async () => [
      {
        name: 'template',
        ok: true,
        detail: 'Explanations are written from the evidence by fixed rules, without a model.',
      },
    ],
  }),
});

/** Deterministic explanations from the evidence. The default, and the fallback of a model. */
export const template = (config: Record<string, never> = {}) => connector(config);
export { templateExplainer } from './explainer.js';
