import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { operatorActionSchema } from '../../edge/operator/commands.js';
import type { EdgeHistory } from '../edge-history.js';
import type { EdgeRegistry } from '../edge-registry.js';
import type { GuardSnapshots } from '../guard-snapshots.js';
import { listing, operation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { edgeCommandSchema, edgeHistorySchema, edgeSchema } from '../schema/edges.js';

export interface EdgeRouteParts {
  readonly guards: GuardSnapshots;
  readonly edges: EdgeRegistry;
  readonly history: EdgeHistory;
}

/** Reports of edges, and commands to them. Edges poll for commands, usually every five seconds. */
export function edgeRoutes({ guards, edges, history }: EdgeRouteParts): CoreRoute[] {
  return [
    listing({
      path: '/api/v1/edges',
      scope: 'read',
      reach: 'installation',
      id: 'listEdges',
      summary: 'List known edges: guard figures, limits, dead letters, commands',
      what: 'The edges',
      name: 'edges',
      entries: v.array(edgeSchema),
      all: () => guards.all(),
      key: ({ edge }) => edge,
      show: async (guard) => ({
        ...guard,
        ...((await edges.find(guard.edge)) ?? { limits: {}, dead_letters: [], commands: [] }),
      }),
    }),
    operation({
      at: 'GET /api/v1/edges/history',
      scope: 'read',
      reach: 'installation',
      id: 'getEdgeHistory',
      summary: 'Get the figures of every edge in the last hour, since core started',
      what: 'The edges',
      schema: v.object({ edges: v.array(edgeHistorySchema) }),
      run: () => ({ edges: history.all() }),
    }),
    operation({
      at: 'POST /api/v1/edges/:edge/commands',
      scope: 'operate',
      reach: 'installation',
      id: 'commandEdge',
      summary: 'Command an edge to resend or drop dead letters, to change limits, or to send a test crash',
      body: operatorActionSchema,
      bodyLimit: 64 * 1024,
      status: 202,
      what: 'Queued until the edge polls; `GET /api/v1/edges` shows the result',
      schema: edgeCommandSchema,
      problems: ['not_found'],
      async run({ request, reviewer, body }) {
        const command = await edges.command(request.params.edge ?? '', body, reviewer.name);
        if (command === null) throw new CulpritError('not_found', 'Unknown edge.');
        return command;
      },
    }),
  ];
}
