import {
  type Access,
  ALL_SCOPES,
  projectsWith,
  type Scope,
  scopesOf,
} from '@culprit/core/internal/domain/access';
import { about, named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

const scopes = v.array(v.picklist(ALL_SCOPES as readonly [Scope, ...Scope[]]));
const projects = v.nullable(v.array(v.string()));

/** What a credential may do, as {@link shownAccess} gives it. */
export const accessEntries = {
  scopes: about(scopes, 'Those that hold in at least one project; `grants` says in which.'),
  projects: about(projects, 'Those with at least one scope; `null`: all projects.'),
  grants: about(
    v.array(v.object({ scopes, projects: about(projects, '`null`: all projects.') })),
    'Which scopes hold in which projects. They are combined.',
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
  setting: about(v.string(), 'The setting that the secret belongs to.'),
  file: about(v.nullable(v.string()), 'Where it was generated; `null`: the setting has it.'),
  members: about(v.pipe(v.array(v.string()), v.readonly()), 'Those that lead to it in the file.'),
  exists: v.boolean(),
});

/** Who sends crashes of one project, and where its secrets are; it contains none. */
const senderSchema = v.object({
  project: v.string(),
  key: about(v.nullable(v.string()), 'The public key of its DSN; `null`: it has none.'),
  service_token: secretPlaceSchema,
  hook_secret: secretPlaceSchema,
});

/** Response of `GET /api/v1/session`. */
export const sessionSchema = named(
  'Session',
  'The reviewer of the credential, and the rules of the gates.',
  v.object({
    name: v.string(),
    expires_at: about(
      v.nullable(v.string()),
      'ISO 8601, of the session or API token; `null`: it does not expire.',
    ),
    ...accessEntries,
    token: v.optional(about(v.string(), 'The name of the API token, if it is one.')),
    data_directory: v.optional(
      about(v.string(), 'Where core keeps its data, and the secrets that it generated.'),
    ),
    senders: v.optional(
      about(
        v.array(senderSchema),
        'For people: which keys send crashes of the projects that they may read, and where secrets are.',
      ),
    ),
    rules: v.object({
      second_person: about(
        v.boolean(),
        'The reviewers who approved Gate 1, edited the draft, chose its suspects or found them may not approve Gate 2.',
      ),
      bound_approval: about(v.boolean(), 'Gate 2 requires `If-Match`.'),
      investigates: about(v.boolean(), 'Reviewers can let a model investigate a run.'),
    }),
  }),
);
/** Response of `DELETE /api/v1/session` after a sign-in at a provider. */
export const signedOutSchema = v.object({
  provider_url: about(v.string(), 'Where a browser signs out at the provider.'),
});
