import { operation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { modelSchema } from '../schema/explanation.js';

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
