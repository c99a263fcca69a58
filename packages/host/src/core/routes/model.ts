import { jsonResponse } from '../../http/problem-response.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { modelSchema } from '../schema/explanation.js';

/** What is known about the model. */
export function modelRoutes(): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/api/v1/model',
      access: 'reviewer',
      scope: 'read',
      reach: 'none',
      doc: {
        id: 'getModel',
        summary: 'Get what is known about the configured model, without asking it',
        answers: { 200: { what: 'The model, and what its probe found', schema: modelSchema } },
      },
      // What the model server said may contain addresses and keys.
      handle: ({ engine }: ReviewerCall) => {
        const model = engine.model();
        const clean = (text: string | null) => text && engine.sanitiser.text(text).value;
        const shown = model && { ...model, version: clean(model.version), reason: clean(model.reason) };
        return jsonResponse(200, { model: shown });
      },
    },
  ];
}
