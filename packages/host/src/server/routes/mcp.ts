import type { Logger } from '@culprit/core';
import { scopesOf } from '@culprit/core/internal/domain/access';
import { DRAFT_LIMITS } from '@culprit/core/internal/domain/draft';
import { PART_VERSIONS } from '@culprit/core/internal/pipeline/versions';
import * as v from 'valibot';
import { mcpEndpoint } from '../../mcp/http.js';
import { localClient } from '../local-client.js';
import type { CoreRoute } from '../route.js';
import { checkOrigin, type Site } from '../site.js';

const RUN = 'run_01m84k6epdzecbdbdh7razd55m';
const messageSchema = v.pipe(
  v.looseObject({
    jsonrpc: v.literal('2.0'),
    method: v.string(),
    id: v.exactOptional(v.union([v.string(), v.number()])),
    params: v.exactOptional(v.record(v.string(), v.unknown())),
  }),
  v.examples([
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_run', arguments: { run_id: RUN } },
    },
  ]),
);
const responseSchema = v.pipe(
  v.looseObject({
    jsonrpc: v.literal('2.0'),
    id: v.nullable(v.union([v.string(), v.number()])),
    result: v.exactOptional(v.record(v.string(), v.unknown())),
    error: v.exactOptional(v.looseObject({ code: v.number(), message: v.string() })),
  }),
  v.examples([
    { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: `## Run \`${RUN}\`: …` }] } },
  ]),
);

/**
 * Runs for coding agents. `routes`: those that the tools call. The tools read; an API token with the scope `investigate` may ask about the repository, one with the scope `comment` comment and pin, one
 * with `gate2` edit drafts. None decides or publishes.
 */
export function mcpRoutes(site: () => Site, routes: () => readonly CoreRoute[], logger: Logger): CoreRoute[] {
  const answer = mcpEndpoint(PART_VERSIONS.culprit);
  return [
    {
      method: 'POST',
      pattern: '/mcp',
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      bodyLimit: DRAFT_LIMITS.requestBytes,
      doc: {
        id: 'callMcp',
        summary: 'Read runs over MCP (Model Context Protocol), without a session: one message, one answer',
        body: { schema: messageSchema, required: true },
        answers: {
          200: {
            what: 'The JSON-RPC response: JSON, or one event for clients of older versions that accept both',
            schema: responseSchema,
            type: 'text/event-stream',
          },
          202: { what: 'A notification was received' },
          400: { what: 'A JSON-RPC error', type: 'application/json' },
          406: { what: 'A JSON-RPC error: `Accept` must name both media types', type: 'application/json' },
          415: {
            what: 'A JSON-RPC error: `Content-Type` must be `application/json`',
            type: 'application/json',
          },
        },
        problems: ['connector_missing', 'origin_refused'],
      },
      handle(call) {
        const { request, engine, identity } = call;
        // Only browsers send it, and the board does not use MCP.
        if (request.headers.origin !== undefined) checkOrigin(site(), request, 'Requests of browsers');
        const api = {
          ...localClient(routes(), call, logger),
          scrub: (dirty: string) => engine.sanitiser.text(dirty).value,
        };
        // A reviewer's own token only reads: an agent needs one that was made for it.
        return answer(api, request, identity.token === null ? [] : scopesOf(identity.access));
      },
    },
  ];
}
