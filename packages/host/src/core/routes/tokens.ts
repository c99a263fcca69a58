import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { OPTIONAL_PAGE_PARAMETERS, pageOf, pageResponse } from '../paging.js';
import { readBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { madeTokenSchema, newTokenSchema, revokedTokensSchema, tokenSchema } from '../schema/tokens.js';
import type { Tokens } from '../tokens/tokens.js';

export interface TokenRouteParts {
  readonly tokens: Tokens;
  /** Called when a token is revoked, to close its live feeds on every core. */
  readonly tokenRevoked: (id: string) => Promise<void>;
}

const tokensSchema = v.object({ tokens: v.array(tokenSchema), next: v.nullable(v.string()) });
const OPERATE = { access: 'reviewer', scope: 'operate', reach: 'installation' } as const;

/** Makes, lists and revokes API tokens. */
export function tokenRoutes({ tokens, tokenRevoked }: TokenRouteParts): CoreRoute[] {
  return [
    {
      ...OPERATE,
      method: 'GET',
      pattern: '/api/v1/tokens',
      doc: {
        id: 'listTokens',
        summary: 'List the API tokens, without their secrets',
        query: OPTIONAL_PAGE_PARAMETERS,
        answers: { 200: { what: 'The tokens, oldest first', schema: tokensSchema } },
        problems: ['storage_unavailable', 'malformed', 'invalid_cursor'],
      },
      async handle({ request, engine }: ReviewerCall) {
        const { page, next } = pageOf(await tokens.list(engine.values), request.query, ({ id }) => id);
        return pageResponse(request, { tokens: page, next });
      },
    },
    {
      ...OPERATE,
      method: 'POST',
      pattern: '/api/v1/tokens',
      bodyLimit: 16 * 1024,
      doc: {
        id: 'makeToken',
        summary:
          'Make an API token with at most your own scopes and projects. The response shows its secret once',
        body: { schema: newTokenSchema, required: true },
        answers: { 201: { what: 'The token', schema: madeTokenSchema } },
        problems: ['malformed', 'storage_unavailable'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        const { name, scopes, projects, expires_in_days: days } = readBody(request, newTokenSchema);
        const wanted = { name, scopes, projects, days };
        const made = await tokens.make(engine.values, wanted, identity);
        return jsonResponse(201, made, { 'cache-control': 'no-store' });
      },
    },
    {
      ...OPERATE,
      method: 'DELETE',
      pattern: '/api/v1/tokens/:id',
      doc: {
        id: 'revokeToken',
        summary: 'Revoke an API token and those that it made: at once, on other cores within seconds',
        answers: { 200: { what: 'What has been revoked', schema: revokedTokensSchema } },
        problems: ['not_found', 'storage_unavailable'],
      },
      async handle({ request, engine }: ReviewerCall) {
        const revoked = await tokens.revoke(engine.values, request.params.id ?? '');
        if (revoked.length === 0) throw new CulpritError('not_found', 'Token not found.');
        for (const { id } of revoked) await tokenRevoked(id);
        return jsonResponse(200, { revoked });
      },
    },
  ];
}
