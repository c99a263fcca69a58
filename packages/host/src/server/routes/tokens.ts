import { CulpritError, type Engine } from '@culprit/core';
import type { Sender } from '@culprit/core/internal/domain/send-crashes';
import * as v from 'valibot';
import { suggest } from '../../config/setting.js';
import { listing, operation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { madeTokenSchema, newTokenSchema, revokedTokensSchema, tokenSchema } from '../schema/tokens.js';
import type { Tokens } from '../tokens/tokens.js';

export interface TokenRouteParts {
  readonly tokens: Tokens;
  /** A project may have keys and no settings. */
  readonly senders: readonly Sender[];
  /** Called when a token is revoked, to close its live feeds on every core. */
  readonly tokenRevoked: (id: string) => Promise<void>;
}

const OPERATE = { scope: 'operate', reach: 'installation' } as const;
const PATH = '/api/v1/tokens';

/** Makes, lists and revokes API tokens. */
export function tokenRoutes({ tokens, senders, tokenRevoked }: TokenRouteParts): CoreRoute[] {
  return [
    listing({
      ...OPERATE,
      path: PATH,
      id: 'listTokens',
      summary: 'List the API tokens, without their secrets',
      what: 'The tokens, oldest first',
      name: 'tokens',
      entries: v.array(tokenSchema),
      all: ({ engine }) => tokens.list(engine.values),
      key: ({ id }) => id,
    }),
    operation({
      ...OPERATE,
      at: `POST ${PATH}`,
      id: 'makeToken',
      summary:
        'Make an API token with at most your own scopes and projects. The response shows its secret once',
      body: newTokenSchema,
      status: 201,
      what: 'The token',
      schema: madeTokenSchema,
      answerHeaders: () => ({ 'cache-control': 'no-store' }),
      async run({ engine, identity, body: { name, scopes, projects, expires_in_days: days } }) {
        await demandProjects(projects ?? [], engine, senders);
        return tokens.make(engine.values, { name, scopes, projects, days }, identity);
      },
    }),
    operation({
      ...OPERATE,
      at: `DELETE ${PATH}/:id`,
      id: 'revokeToken',
      summary: 'Revoke an API token and those that it made: at once, on other cores within seconds',
      what: 'What has been revoked',
      schema: revokedTokensSchema,
      problems: ['not_found'],
      async run({ request, engine }) {
        const revoked = await tokens.revoke(engine.values, request.params.id ?? '');
        if (revoked.length === 0) throw new CulpritError('not_found', 'Token not found.');
        for (const { id } of revoked) await tokenRevoked(id);
        return { revoked };
      },
    }),
  ];
}

/** A mistyped name makes a token that may do nothing. @throws `malformed` for a project that no setting, key or run names. */
async function demandProjects(
  asked: readonly string[],
  engine: Engine,
  senders: readonly Sender[],
): Promise<void> {
  const known = new Set([
    ...engine.releases.projects().map(({ name }) => name),
    ...senders.map(({ project }) => project),
  ]);
  for (const [at, name] of asked.entries()) {
    if (known.has(name)) continue;
    const { runs } = await engine.runs({ projects: [name], limit: 1 });
    if (runs.length > 0) continue;
    const near = suggest(name, [...known]);
    const hint =
      near === null ? `The projects are: ${[...known].slice(0, 20).join(', ')}.` : `Did you mean ${near}?`;
    throw new CulpritError('malformed', `There is no project ${JSON.stringify(name)}. ${hint}`, {
      path: `projects[${at}]`,
    });
  }
}
