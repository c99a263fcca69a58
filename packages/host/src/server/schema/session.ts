import {
  type Access,
  ALL_SCOPES,
  projectsWith,
  type Scope,
  scopesOf,
} from '@culprit/core/internal/domain/access';
import { named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

const scopes = v.array(v.picklist(ALL_SCOPES as readonly [Scope, ...Scope[]]));
const projects = v.nullable(v.array(v.string()));

/** What a credential may do, as {@link shownAccess} gives it. */
export const accessEntries = {
  scopes: v.pipe(scopes, v.description('Those that hold in at least one project; `grants` says in which.')),
  projects: v.pipe(projects, v.description('Those with at least one scope; `null`: all projects.')),
  grants: v.pipe(
    v.array(v.object({ scopes, projects: v.pipe(projects, v.description('`null`: all projects.')) })),
    v.description('Which scopes hold in which projects. They add up.'),
  ),
};

export function shownAccess(access: Access): v.InferOutput<v.ObjectSchema<typeof accessEntries, undefined>> {
  const own = projectsWith(access, 'any');
  return {
    scopes: [...scopesOf(access)],
    projects: own && [...own],
    grants: access.map((grant) => ({
      scopes: [...grant.scopes],
      projects: grant.projects && [...grant.projects],
    })),
  };
}

const secretPlaceSchema = v.object({
  setting: v.pipe(v.string(), v.description('The setting that the secret belongs to.')),
  file: v.pipe(v.nullable(v.string()), v.description('Where it was generated; `null`: the setting has it.')),
  members: v.pipe(v.array(v.string()), v.readonly(), v.description('Those that lead to it in the file.')),
  exists: v.boolean(),
});

/** Who sends crashes of one project, and where its secrets are; it contains none. */
const senderSchema = v.object({
  project: v.string(),
  key: v.pipe(v.nullable(v.string()), v.description('The public key of its DSN; `null`: it has none.')),
  service_token: secretPlaceSchema,
  hook_secret: secretPlaceSchema,
});

/** Response of `GET /api/v1/session`. */
export const sessionSchema = named(
  'Session',
  'The reviewer of the credential, and the rules of the gates.',
  v.object({
    name: v.string(),
    expires_at: v.pipe(
      v.nullable(v.string()),
      v.description('ISO 8601, of the session or API token; `null`: it does not expire.'),
    ),
    ...accessEntries,
    token: v.optional(v.pipe(v.string(), v.description('The name of the API token, if it is one.'))),
    data_directory: v.optional(
      v.pipe(v.string(), v.description('Where core keeps its data, and the secrets that it generated.')),
    ),
    senders: v.optional(
      v.pipe(
        v.array(senderSchema),
        v.description(
          'For people: which keys send crashes of the projects that they may read, and where secrets are.',
        ),
      ),
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
  }),
);
/** Response of `DELETE /api/v1/session` after a sign-in at a provider. */
export const signedOutSchema = v.object({
  provider_url: v.pipe(v.string(), v.description('Where a browser signs out at the provider.')),
});
