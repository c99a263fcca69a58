import { createHash } from 'node:crypto';
import type { ProvidedAccess } from '../sessions.js';
import { createSignInLimit, type SignInLimit } from '../sign-in-limit.js';
import { providedAccessOf } from './claims.js';
import type { OidcOptions } from './options.js';
import { createOidcProvider, type OidcProviderParts } from './provider.js';
import { createOidcSignIn, type OidcSignIn, type OidcSignInParts } from './sign-in.js';

/** Failed sign-ins at the provider, and forged orders of it, per address within five minutes. */
const FAILURES = 50;

/** What the configuration allows a session of the provider; nothing once another provider or none is configured. */
export function providedAccess(options: OidcOptions | null): ProvidedAccess {
  if (options === null) return () => null;
  const own = credentialOf(options);
  return (credential, provided) => {
    const access = credential === own ? providedAccessOf(provided, options) : null;
    return access?.length === 0 ? null : access;
  };
}

/** The sign-in at a provider; `oidc` is `null` without one. */
export function openOidc(
  options: OidcOptions | null,
  parts: Omit<OidcSignInParts, 'options' | 'provider' | 'credential' | 'limit'> & OidcProviderParts,
): { readonly oidc: OidcSignIn | null; readonly oidcLimit: SignInLimit } {
  const oidcLimit = createSignInLimit(FAILURES, parts.now, new Set());
  if (options === null) return { oidc: null, oidcLimit };
  const provider = createOidcProvider(options, parts);
  const own = { options, provider, credential: credentialOf(options), limit: oidcLimit };
  return { oidc: createOidcSignIn({ ...parts, ...own }), oidcLimit };
}

function credentialOf({ issuer, clientId }: OidcOptions): string {
  const text = JSON.stringify(['culprit', 'provider', issuer, clientId]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
