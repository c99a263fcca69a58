import type { ModelStatus } from '@culprit/core/internal/ports/explainer';
import * as v from 'valibot';

export const claimsSchema = v.array(
  v.object({ text: v.string(), cites: v.array(v.object({ evidence: v.string(), quote: v.string() })) }),
);

export const modelStatusSchema = v.object({
  explainer: v.string(),
  model: v.pipe(v.string(), v.description('As it is configured.')),
  version: v.pipe(
    v.nullable(v.string()),
    v.description('Which version answers, as the model server says; null: unknown.'),
  ),
  state: v.pipe(
    v.picklist(['not_probed', 'probing', 'unreachable', 'unusable', 'usable']),
    v.description(
      '`probing`: no result yet. `unreachable`: the model server does not answer, and is asked again. `unusable`: it gives no usable answer, so explanations are deterministic.',
    ),
  ),
  reason: v.pipe(v.nullable(v.string()), v.description('Why it is unreachable or unusable.')),
  probed_at: v.pipe(v.nullable(v.string()), v.description('When it answered a probe last; null: never.')),
  limits: v.pipe(
    v.array(
      v.object({
        name: v.picklist(['schema', 'thoughts', 'length']),
        holds: v.pipe(v.nullable(v.boolean()), v.description('null: the probe could not find out.')),
        detail: v.string(),
      }),
    ),
    v.description('What the probe found about each thing that the model is asked to keep to; empty before.'),
  ),
}) satisfies v.GenericSchema<unknown, ModelStatus>;

export const modelSchema = v.object({
  model: v.pipe(
    v.nullable(modelStatusSchema),
    v.description('null: no model is configured, and explanations are deterministic.'),
  ),
});
