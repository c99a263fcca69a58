import { modelStatusSchema } from '@culprit/core/internal/domain/model-status';
import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { operation } from '../operation.js';
import type { CoreRoute } from '../route.js';

const modelSchema = v.object({
  model: about(
    v.nullable(modelStatusSchema),
    'null: no model is configured, and explanations are deterministic.',
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
      run({ engine }) {
        const model = engine.model();
        const clean = (text: string | null) => text && engine.sanitiser.text(text).value;
        const shown = model && { ...model, version: clean(model.version), reason: clean(model.reason) };
        return { model: shown };
      },
    }),
  ];
}
