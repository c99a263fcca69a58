import { CulpritError } from '@culprit/core';
import type { Config } from '../config/config.js';
import { isReadable } from '../config/network.js';
import { Secret } from '../config/secret.js';
import { SETTINGS, type SettingKey } from '../config/settings.js';
import type { OidcOptions } from '../server/oidc/options.js';

const PARTS = ['oidcClientId', 'oidcClientSecret', 'oidcRoles', 'oidcProjects'] as const;

/** The provider that people sign in at; `null` without one. Throws `configuration` if it is only partly configured. */
export function composeOidc(config: Config): OidcOptions | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcRoles: roles, oidcClientSecret } = config;
  if (issuer === null) {
    const stray = PARTS.find((key) => isSet(config[key]));
    if (stray !== undefined) throw refused('oidcIssuer', `is missing, but ${SETTINGS[stray].env} is set`);
    return null;
  }
  if (clientId === null) throw refused('oidcClientId', 'is missing, but OIDC_ISSUER is set');
  if (Object.keys(roles).length === 0)
    throw refused(
      'oidcRoles',
      'is missing: without it nobody could sign in. Example: culprit-reviewers=reviewer,*=reader',
    );
  if (isReadable(issuer) && !config.allowPlaintext)
    throw refused(
      'oidcIssuer',
      'must start with https:// unless it is on loopback; ALLOW_PLAINTEXT=1 overrides this',
    );
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

function refused(key: SettingKey, problem: string): CulpritError {
  return new CulpritError('configuration', `${SETTINGS[key].env} ${problem}.`, { path: key });
}
