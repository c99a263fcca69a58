import type { Config } from '../config/config.js';
import { Secret } from '../config/secret.js';
import { variableOf } from '../config/setting.js';
import type { OidcOptions } from '../server/oidc/options.js';
import { demandPrivate, refused } from './refused.js';

const PARTS = ['oidcClientId', 'oidcClientSecret', 'oidcRoles', 'oidcProjects'] as const;

/** The provider that people sign in at; `null` without one. Throws `configuration` if it is only partly configured. */
export function composeOidc(config: Config): OidcOptions | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcRoles: roles, oidcClientSecret } = config;
  if (issuer === null) {
    const stray = PARTS.find((key) => isSet(config[key]));
    if (stray !== undefined)
      throw refused('oidcIssuer', `OIDC_ISSUER is missing, but ${variableOf(stray)} is set.`);
    return null;
  }
  if (clientId === null) throw refused('oidcClientId', 'OIDC_CLIENT_ID is missing, but OIDC_ISSUER is set.');
  if (Object.keys(roles).length === 0)
    throw refused(
      'oidcRoles',
      'OIDC_ROLES is missing: without it nobody could sign in. Example: culprit-reviewers=reviewer,*=reader.',
    );
  demandPrivate(config, 'oidcIssuer', issuer, 'unless it is on loopback');
  return {
    issuer,
    clientId,
    clientSecret: oidcClientSecret?.reveal() ?? null,
    scopes: config.oidcScopes,
    displayName: config.oidcName ?? new URL(issuer).host,
    rolesClaim: config.oidcRolesClaim,
    roles,
    projectsClaim: config.oidcProjectsClaim ?? config.oidcRolesClaim,
    projects: config.oidcProjects,
  };
}

function isSet(value: Config[(typeof PARTS)[number]]): boolean {
  if (value === null) return false;
  return typeof value === 'string' || value instanceof Secret || Object.keys(value).length > 0;
}
