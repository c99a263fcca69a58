import { PART_VERSIONS } from '@culprit/core/analysis';
import * as v from 'valibot';
import { mcpEndpoint } from '../../mcp/http.js';
import type { CoreRoute } from '../route.js';
import { checkOrigin, type Site } from '../site.js';

const messageSchema = v.looseObject({
  jsonrpc: v.literal('2.0'),
  method: v.string(),
  id: v.exactOptional(v.union([v.string(), v.number()])),
  params: v.exactOptional(v.looseObject({})),
});

/** Runs for coding agents. Every tool reads; none decides, edits or publishes. */
export function mcpRoutes(site: () => Site): CoreRoute[] {
  const answer = mcpEndpoint(PART_VERSIONS.culprit);
  return [
    {
      method: 'POST',
      pattern: '/mcp',
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      bodyLimit: 64 * 1024,
      doc: {
        id: 'callMcp',
        summary: 'Read runs over MCP (Model Context Protocol), without a session: one message, one answer',
        body: { schema: messageSchema, required: true },
        answers: {
          200: { what: 'The JSON-RPC response, as JSON or as one event', type: 'application/json' },
          202: { what: 'A notification was received' },
        },
        problems: ['connector_missing', 'origin_refused'],
      },
      handle({ request, engine }) {
        // Only browsers send it, and the board does not use MCP.
        if (request.headers.origin !== undefined) checkOrigin(site(), request, 'Requests of browsers');
        return answer(engine, request);
      },
    },
  ];
}
