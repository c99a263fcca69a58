import * as v from 'valibot';
import { ALL_SCOPES, type Scope } from '../scopes.js';

/** Response of `GET /api/v1/session`. */
export const sessionSchema = v.object({
  name: v.string(),
  expires_at: v.pipe(
    v.nullable(v.string()),
    v.description('ISO 8601, of the session or API token; `null`: it does not expire.'),
  ),
  scopes: v.array(v.picklist(ALL_SCOPES as readonly [Scope, ...Scope[]])),
  projects: v.pipe(v.nullable(v.array(v.string())), v.description('`null`: all projects.')),
  token: v.optional(v.pipe(v.string(), v.description('The name of the API token, if it is one.'))),
  data_directory: v.optional(
    v.pipe(v.string(), v.description('Where core keeps its data, and the secrets that it generated.')),
  ),
  rules: v.object({
    second_person: v.pipe(
      v.boolean(),
      v.description(
        'The reviewers who approved Gate 1 and who last edited the draft may not approve Gate 2.',
      ),
    ),
    bound_approval: v.pipe(v.boolean(), v.description('Gate 2 requires `If-Match`.')),
  }),
});
/** Response of `DELETE /api/v1/session` after a sign-in at a provider. */
export const signedOutSchema = v.object({
  provider_url: v.pipe(v.string(), v.description('Where a browser signs out at the provider.')),
});

export type SessionInfo = v.InferOutput<typeof sessionSchema>;
