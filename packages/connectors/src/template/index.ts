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
        detail: 'Explanations are written from the evidence by fixed rules. No model is needed for them.',
      },
    ],
  }),
});

/** Deterministic explanations from evidence alone: the default, and what a model falls back to. */
export const template = (config: Record<string, never> = {}) => connector(config);
export { templateExplainer } from './explainer.js';
