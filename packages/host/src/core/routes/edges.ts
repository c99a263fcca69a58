import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { operatorActionSchema } from '../../edge/operator/commands.js';
import { jsonResponse } from '../../http/problem-response.js';
import type { EdgeBook } from '../edge-book.js';
import type { GuardSnapshots } from '../guard-snapshots.js';
import { readBody } from '../read-body.js';
import type { CoreRoute } from '../route.js';
import { edgeCommandSchema, edgeSchema } from '../schema/edges.js';

export interface EdgeRouteParts {
  readonly guards: GuardSnapshots;
  readonly edges: EdgeBook;
}

/** What the edges told, and what they are told to do. An edge fetches its commands, usually within five seconds. */
export function edgeRoutes({ guards, edges }: EdgeRouteParts): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/api/v1/edges',
      access: 'reviewer',
      doc: {
        summary: 'Every edge heard of: guard figures, limits, dead letters, commands',
        answers: { 200: { what: 'The edges', schema: v.object({ edges: v.array(edgeSchema) }) } },
      },
      async handle() {
        const list = await Promise.all(
          guards.all().map(async (guard) => ({
            ...guard,
            ...((await edges.find(guard.edge)) ?? { limits: {}, dead_letters: [], commands: [] }),
          })),
        );
        return jsonResponse(200, { edges: list });
      },
    },
    {
      method: 'POST',
      pattern: '/api/v1/edges/:edge/commands',
      access: 'reviewer',
      bodyLimit: 64 * 1024,
      doc: {
        summary: 'Tell an edge to resend or drop dead letters, or to change limits',
        body: { schema: operatorActionSchema, required: true },
        answers: {
          202: {
            what: 'The edge is told when it asks next; `GET /api/v1/edges` shows what became of it',
            schema: edgeCommandSchema,
          },
        },
        problems: ['malformed', 'not_found'],
      },
      async handle({ request, identity }) {
        const action = readBody(request, operatorActionSchema);
        const command = await edges.command(request.params.edge ?? '', action, identity.reviewer.name);
        if (command === null) throw new CulpritError('not_found', 'No such edge was heard of.');
        return jsonResponse(202, command);
      },
    },
  ];
}
