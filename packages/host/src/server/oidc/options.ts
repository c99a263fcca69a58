import { CulpritError } from '@culprit/core';
import { ROLES, type Role } from '@culprit/core/internal/domain/access';

/** An OpenID provider that people sign in at, and what their claims allow. */
export interface OidcOptions {
  /** As in its discovery document. */
  readonly issuer: string;
  readonly clientId: string;
  /** `null` for a public client. */
  readonly clientSecret: string | null;
  /** Separated by spaces; with `openid`. */
  readonly scopes: string;
  /** On the button: `Sign in with …`. */
  readonly displayName: string;
  /** The claim that decides about roles: its name, or a path such as `realm_access.roles`. */
  readonly rolesClaim: string;
  /** By value of the claim; `*` is everybody who signs in. Several roles add up, project by project. */
  readonly roles: Readonly<Record<string, RoleText | readonly RoleText[]>>;
  readonly projectsClaim: string;
  /** Project by value of the claim; `*` as a value is everybody, as a project all. Empty: everybody has all projects. */
  readonly projects: Readonly<Record<string, string>>;
}

/** The same as an embedder writes it. */
export interface OidcSettings
  extends Pick<OidcOptions, 'issuer' | 'clientId' | 'roles'>,
    Partial<Omit<OidcOptions, 'issuer' | 'clientId' | 'roles'>> {}

/** Default: a public client, `openid profile`, the issuer's host, the claim `groups`, and all projects. @throws `configuration` for an unknown role */
export function oidcOptions(settings: OidcSettings): OidcOptions {
  const { issuer, rolesClaim = 'groups' } = settings;
  for (const text of Object.values(settings.roles).flat()) readRole(text);
  return {
    ...{ clientSecret: null, scopes: 'openid profile', displayName: new URL(issuer).host },
    ...{ rolesClaim, projectsClaim: rolesClaim, projects: {} },
    ...settings,
  };
}

/** Why a sign-in failed. The board and docs/guides/sign-in.md have the words. */
export const SIGN_IN_PROBLEMS = [
  'cancelled',
  'expired',
  'provider_unreachable',
  'provider_refused',
  'client_refused',
  'answer_refused',
  'no_role',
  'no_project',
  'too_many',
  'unavailable',
] as const;
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];

/** Rejected by the parts of the sign-in. `cause` is for the log. */
export class SignInError extends Error {
  constructor(
    readonly problem: SignInProblem,
    options?: ErrorOptions,
  ) {
    super(`sign-in failed: ${problem}`, options);
  }
}

/** A role in all projects, or in one: `reviewer@shop`. */
export type RoleText = Role | `${Role}@${string}`;
/** As the name of a project: all of them. */
export const ALL_PROJECTS = '*';
export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[];

/** The role, and its project; `null`: all projects. @throws `configuration` if there is no such role */
export function readRole(text: string): { readonly role: Role; readonly project: string | null } {
  const [, name = '', project = ALL_PROJECTS] = /^([a-z]+)(?:@(.+))?$/.exec(text) ?? [];
  const role = ROLE_NAMES.find((known) => known === name);
  if (role !== undefined) return { role, project: project === ALL_PROJECTS ? null : project };
  const detail = `${JSON.stringify(text)} is not one of the roles ${ROLE_NAMES.join(', ')}, alone or as role@project.`;
  throw new CulpritError('configuration', detail, { path: 'oidc.roles' });
}
