import { ALL_SCOPES, type Scope, TOKEN_LIMITS } from '@culprit/core/internal/domain/access';
import { about, named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

const scopes = v.array(v.picklist(ALL_SCOPES as readonly [Scope, ...Scope[]]));
const project = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be the name of a project'));

/** A token without its secret. */
export const tokenSchema = named(
  'Token',
  'An API token, without its secret.',
  v.object({
    id: about(v.string(), 'Names the token; not a secret.'),
    name: v.string(),
    scopes,
    projects: about(v.nullable(v.array(v.string())), '`null`: all projects.'),
    made_by: about(v.string(), 'The token acts in the name of this reviewer.'),
    made_with: about(
      v.nullable(v.string()),
      'The id of the token that made it, with which it is revoked; `null`: a person made it.',
    ),
    made_at: v.string(),
    expires_at: about(v.nullable(v.string()), 'ISO 8601; `null`: it does not expire.'),
    last_used_at: about(v.nullable(v.string()), 'To the minute; `null`: never.'),
  }),
);
export type TokenEntry = Readonly<v.InferOutput<typeof tokenSchema>>;

export const newTokenSchema = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1, 'must not be empty'), v.maxLength(TOKEN_LIMITS.name)),
  scopes: about(
    v.pipe(
      scopes,
      v.minLength(1, 'must name at least one scope'),
      v.check((all) => all.includes('read') || all.every((one) => one === 'release'), 'must include "read"'),
    ),
    'Every scope but `release` needs `read`.',
  ),
  projects: v.optional(
    about(
      v.nullable(
        v.pipe(
          v.array(project),
          v.minLength(1, 'must name at least one'),
          v.maxLength(TOKEN_LIMITS.projects),
        ),
      ),
      'Names of projects. Default, and `null`: all of them.',
    ),
    null,
  ),
  expires_in_days: v.optional(
    about(
      v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(TOKEN_LIMITS.days))),
      `Default ${TOKEN_LIMITS.defaultDays}; \`null\`: it does not expire.`,
    ),
    TOKEN_LIMITS.defaultDays,
  ),
});

export const madeTokenSchema = v.object({
  ...tokenSchema.entries,
  token: about(v.string(), 'The secret. It is shown once; only its hash is stored.'),
});
export type MadeToken = Readonly<v.InferOutput<typeof madeTokenSchema>>;

export const revokedTokensSchema = v.object({
  revoked: about(
    v.array(v.object({ id: v.string(), name: v.string() })),
    'The token, and those that it had made, directly or not.',
  ),
});
