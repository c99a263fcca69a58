import { modelStatusSchema } from '@culprit/core/internal/domain/model-status';
import { about } from '@culprit/core/internal/domain/schema';
import {
  type FitSummary,
  fitSummarySchema,
  type ModelFit,
  modelFitSchema,
  storedFit,
} from '@culprit/core/internal/pipeline/investigate/model-fit';
import * as v from 'valibot';
import { operation } from '../operation.js';
import type { CoreRoute } from '../route.js';

const modelSchema = v.object({
  model: about(
    v.nullable(modelStatusSchema),
    'null: no model is configured, and explanations are deterministic.',
  ),
  fit: about(
    v.nullable(fitSummarySchema),
    'null: nobody has measured how likely its findings are right, so their probabilities are kept low.',
  ),
  today: about(
    v.object({
      day: about(v.string(), '`YYYY-MM-DD`, UTC.'),
      investigations: v.number(),
      tokens: v.number(),
      cost: about(v.nullable(v.number()), 'In the currency of the price; null: nothing is known of cost.'),
    }),
    'What the investigations of this day used; a call that is under way counts as the most that it can use.',
  ),
  limits: about(
    v.object({
      price: v.nullable(v.object({ input: v.number(), output: v.number() })),
      cost: about(v.nullable(v.number()), 'Of one investigation; null: not limited.'),
      cost_per_day: v.nullable(v.number()),
    }),
    'Of investigations, and the price per million tokens.',
  ),
});

/** What is known about the model. */
export function modelRoutes(): CoreRoute[] {
  return [
    operation({
      at: 'GET /api/v1/model',
      scope: 'read',
      reach: 'none',
      id: 'getModel',
      summary: 'Get what is known about the configured model, without asking it',
      what: 'The model, and what its probe found',
      schema: modelSchema,
      // What the model server said may contain addresses and keys.
      async run({ engine }) {
        const model = engine.model();
        const clean = (text: string | null) => text && engine.sanitiser.text(text).value;
        const shown = model && { ...model, version: clean(model.version), reason: clean(model.reason) };
        const fit = model && (await storedFit(engine.values, model.model).get());
        const { price, cost, costPerDay } = engine.policy.investigation;
        return {
          ...{ model: shown, fit: fit && summaryOf(fit), today: await engine.investigationsToday() },
          limits: { price, cost, cost_per_day: costPerDay },
        };
      },
    }),
    operation({
      at: 'PUT /api/v1/model/fit',
      scope: 'operate',
      reach: 'installation',
      id: 'setModelFit',
      summary: 'Store how the findings of a model become probabilities; later investigations use it',
      body: modelFitSchema,
      what: 'The fit without its weights',
      schema: fitSummarySchema,
      async run({ engine, body }) {
        await storedFit(engine.values, body.model).set(body);
        return summaryOf(body);
      },
    }),
  ];
}

function summaryOf({ cases, measured_at, reliability }: ModelFit): FitSummary {
  return { cases, measured_at, reliability };
}
