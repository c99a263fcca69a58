import * as v from 'valibot';
import { about, type Doc, named } from '../../domain/schema.js';
import type { Values } from '../../ports/values.js';
import { type Stored, stored } from '../../runs/stored.js';
import { fitSchema } from './probability.js';

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const findings = v.pipe(v.number(), v.integer(), v.minValue(0));

export const fitSummarySchema = named(
  'FitSummary',
  'What the probabilities of a model’s findings were measured on, and how well they hold.',
  v.object({
    cases: about(findings, 'Number of findings.'),
    measured_at: about(v.pipe(v.string(), v.isoTimestamp()), 'ISO 8601.'),
    reliability: about(
      v.pipe(
        v.array(
          v.object({
            from: about(share, 'The least probability of the group.'),
            to: about(share, 'Probabilities of the group are below it.'),
            probability: about(share, 'Their mean.'),
            right: findings,
            of: findings,
          }),
        ),
        v.maxLength(20),
      ),
      'Findings in groups by probability, and how many were right. Each half of the findings is measured with the fit of the other half.',
    ),
  }),
);
export interface FitSummary extends Doc<typeof fitSummarySchema> {}

export const modelFitSchema = named(
  'ModelFit',
  'How the findings of a model become probabilities, as `culprit backtest --investigate` measures it.',
  v.object({
    model: about(v.pipe(v.string(), v.minLength(1), v.maxLength(200)), 'As it is configured.'),
    weights: about(fitSchema.entries.weights, 'Of the features of a finding.'),
    ...fitSummarySchema.entries,
  }),
);
export interface ModelFit extends Doc<typeof modelFitSchema> {}

/** The fit of a model's findings; `null`: nobody has measured them. */
export function storedFit(values: Values, model: string): Stored<ModelFit | null> {
  return stored<ModelFit | null>(values, `investigation-fit:${model}`, {
    schema: modelFitSchema,
    none: null,
  });
}
