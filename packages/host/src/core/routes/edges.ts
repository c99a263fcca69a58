import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { operatorActionSchema } from '../../edge/operator/commands.js';
import { jsonResponse } from '../../http/problem-response.js';
import type { EdgeHistory } from '../edge-history.js';
import type { EdgeRegistry } from '../edge-registry.js';
import type { GuardSnapshots } from '../guard-snapshots.js';
import { OPTIONAL_PAGE_PARAMETERS, pageOf, pageResponse } from '../paging.js';
import { readBody } from '../read-body.js';
import type { CoreRoute } from '../route.js';
import { edgeCommandSchema, edgeHistorySchema, edgeSchema } from '../schema/edges.js';

const edgesSchema = v.object({ edges: v.array(edgeSchema), next: v.nullable(v.string()) });

export interface EdgeRouteParts {
  readonly guards: GuardSnapshots;
  readonly edges: EdgeRegistry;
  readonly history: EdgeHistory;
}

/** Reports of edges, and commands to them. Edges poll for commands, usually every five seconds. */
export function edgeRoutes({ guards, edges, history }: EdgeRouteParts): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/api/v1/edges',
      access: 'reviewer',
      scope: 'read',
      reach: 'installation',
      doc: {
        id: 'listEdges',
        summary: 'List known edges: guard figures, limits, dead letters, commands',
        answers: { 200: { what: 'The edges', schema: edgesSchema } },
        query: OPTIONAL_PAGE_PARAMETERS,
        problems: ['malformed', 'invalid_cursor'],
      },
      async handle({ request }) {
        const { page, next } = pageOf(guards.all(), request.query, ({ edge }) => edge);
        const list = await Promise.all(
          page.map(async (guard) => ({
            ...guard,
            ...((await edges.find(guard.edge)) ?? { limits: {}, dead_letters: [], commands: [] }),
          })),
        );
        return pageResponse(request, { edges: list, next });
      },
    },
    {
      method: 'GET',
      pattern: '/api/v1/edges/history',
      access: 'reviewer',
      scope: 'read',
      reach: 'installation',
      doc: {
        id: 'getEdgeHistory',
        summary: 'Get the figures of every edge in the last hour, since core started',
        answers: { 200: { what: 'The edges', schema: v.object({ edges: v.array(edgeHistorySchema) }) } },
      },
      handle: () => jsonResponse(200, { edges: history.all() }),
    },
    {
      method: 'POST',
      pattern: '/api/v1/edges/:edge/commands',
      access: 'reviewer',
      scope: 'operate',
      reach: 'installation',
      bodyLimit: 64 * 1024,
      doc: {
        id: 'commandEdge',
        summary: 'Command an edge to resend or drop dead letters, to change limits, or to send a test crash',
        body: { schema: operatorActionSchema, required: true },
        answers: {
          202: {
            what: 'Queued until the edge polls; `GET /api/v1/edges` shows the result',
            schema: edgeCommandSchema,
          },
        },
        problems: ['malformed', 'not_found'],
      },
      async handle({ request, identity }) {
        const action = readBody(request, operatorActionSchema);
        const command = await edges.command(request.params.edge ?? '', action, identity.reviewer.name);
        if (command === null) throw new CulpritError('not_found', 'Unknown edge.');
        return jsonResponse(202, command);
      },
    },
  ];
}
