import type { Check } from '@culprit/core';
import { clip } from '@culprit/core/internal/pipeline/draft/visible';
import * as v from 'valibot';
import { boundedFetch } from './bounded-fetch.js';
import { type OidcOptions, SignInError } from './options.js';
import { CALLBACK_PATH, SIGN_IN_PATH } from './sign-in.js';
import { ALGORITHMS, CLOCK_TOLERANCE_S } from './signing-keys.js';

/** What `culprit doctor` finds wrong with a provider. docs/guides/sign-in.md has what to do. */
export type ProviderProblem =
  | 'provider_unreachable'
  | 'discovery_invalid'
  | 'issuer_mismatch'
  | 'keys_unreadable'
  | 'algorithms_unsupported'
  | 'flow_unsupported'
  | 'pkce_unsupported'
  | 'client_authentication_unsupported'
  | 'scope_unsupported'
  | 'redirect_refused'
  | 'request_refused'
  | 'clock_difference';

export interface ProviderCheck extends Check {
  readonly code?: ProviderProblem;
}

const texts = v.optional(v.array(v.string()));
const metadataSchema = v.object({
  issuer: v.string(),
  authorization_endpoint: v.pipe(v.string(), v.url()),
  token_endpoint: v.pipe(v.string(), v.url()),
  jwks_uri: v.pipe(v.string(), v.url()),
  end_session_endpoint: v.optional(v.string()),
  backchannel_logout_supported: v.optional(v.boolean()),
  id_token_signing_alg_values_supported: texts,
  response_types_supported: texts,
  code_challenge_methods_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  scopes_supported: texts,
});
type Metadata = v.InferOutput<typeof metadataSchema>;

export interface CheckedProvider {
  readonly options: OidcOptions;
  /** Core's public address, without a trailing slash. */
  readonly site: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Whether people can sign in at the provider. Asks it three times, as a browser and core do, and signs nobody in. */
export async function checkProvider(checked: CheckedProvider): Promise<readonly ProviderCheck[]> {
  const found = await discover(checked);
  if ('check' in found) return [found.check];
  const { metadata, discovery, clock } = found;
  return [
    discovery,
    clock,
    await checkKeys(metadata),
    checkFlow(metadata, checked.options),
    checkScopes(metadata, checked.options),
    await checkRedirect(metadata, checked),
    describeSignOut(metadata, checked),
  ];
}

/** Where the discovery document is: as in OpenID Connect Discovery 1.0, section 4. */
function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
}

async function discover({ options: { issuer }, now }: CheckedProvider) {
  const url = discoveryUrl(issuer);
  const refused = (code: ProviderProblem, detail: string) => ({
    check: wrong('sign-in provider', code, detail),
  });
  const sent = now();
  const answer = await asked(url);
  if ('problem' in answer)
    return refused('provider_unreachable', `${url}: ${answer.problem}. Check OIDC_ISSUER and the network.`);
  const at = (sent + now()) / 2;
  if (answer.status !== 200)
    return refused(
      'discovery_invalid',
      `${url} has status ${answer.status}. OIDC_ISSUER is the address before /.well-known.`,
    );
  const read = v.safeParse(metadataSchema, await jsonOf(answer));
  if (!read.success) {
    const path = v.getDotPath(read.issues[0]) ?? 'the document';
    return refused(
      'discovery_invalid',
      `${url} is not the description of a provider: ${path} is missing or wrong.`,
    );
  }
  const metadata = read.output;
  if (!sameUrl(metadata.issuer, issuer))
    return refused(
      'issuer_mismatch',
      `The provider calls itself ${clipped(metadata.issuer)}. Set OIDC_ISSUER to exactly that.`,
    );
  const discovery = fine('sign-in provider', `${issuer} describes itself`);
  return { metadata, discovery, clock: clockCheck(answer, at) };
}

/** The times of ID tokens are the provider's. */
function clockCheck({ headers }: Response, at: number): ProviderCheck {
  const name = 'sign-in clock';
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date)) return fine(name, 'not compared: the provider sent no Date');
  const off = Math.round(Math.abs(at - date) / 1_000);
  if (off <= CLOCK_TOLERANCE_S) return fine(name, `${off} s off the provider`);
  return wrong(
    name,
    'clock_difference',
    `${off} s off the provider; ${CLOCK_TOLERANCE_S} s are accepted. Synchronise both clocks: timedatectl set-ntp true`,
  );
}

async function checkKeys({
  jwks_uri,
  id_token_signing_alg_values_supported: announced,
}: Metadata): Promise<ProviderCheck> {
  const name = 'sign-in keys';
  const usable = announced?.filter((one) => ALGORITHMS.includes(one));
  if (usable?.length === 0)
    return wrong(
      name,
      'algorithms_unsupported',
      `The provider signs with ${clipped(announced?.join(', ') ?? '')} only. Choose a key pair, such as RS256 or ES256, for this client.`,
    );
  const answer = await asked(jwks_uri);
  const keys = 'problem' in answer ? null : v.safeParse(keySetSchema, await jsonOf(answer));
  if (!keys?.success)
    return wrong(
      name,
      'keys_unreadable',
      `${clipped(jwks_uri)} has no keys. Select a signing key at the provider.`,
    );
  return fine(
    name,
    `${keys.output.keys.length} published; ${clipped(usable?.join(', ') ?? 'algorithms not announced')}`,
  );
}
const keySetSchema = v.object({ keys: v.pipe(v.array(v.looseObject({ kty: v.string() })), v.minLength(1)) });

/** Authorization Code with PKCE, and how core proves that it is the client. */
function checkFlow(metadata: Metadata, { clientSecret }: OidcOptions): ProviderCheck {
  const name = 'sign-in flow';
  const { response_types_supported: types, code_challenge_methods_supported: challenges } = metadata;
  if (types !== undefined && !types.includes('code'))
    return wrong(
      name,
      'flow_unsupported',
      'The provider does not offer Authorization Code. Allow it for this client.',
    );
  if (challenges !== undefined && !challenges.includes('S256'))
    return wrong(
      name,
      'pkce_unsupported',
      'The provider does not offer PKCE with S256. Allow it for this client.',
    );
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const needed = clientSecret === null ? ['none'] : ['client_secret_basic', 'client_secret_post'];
  if (!needed.some((one) => methods.includes(one))) {
    const fix = clientSecret === null ? 'Set OIDC_CLIENT_SECRET.' : 'Allow a client secret for this client.';
    return wrong(
      name,
      'client_authentication_unsupported',
      `The provider accepts ${clipped(methods.join(', '))} from clients. ${fix}`,
    );
  }
  return fine(
    name,
    `Authorization Code; PKCE ${challenges === undefined ? 'is sent, but not announced' : 'with S256'}`,
  );
}

function checkScopes({ scopes_supported: announced }: Metadata, { scopes }: OidcOptions): ProviderCheck {
  const name = 'sign-in scopes';
  const unknown = scopes.split(' ').filter((one) => one !== '' && announced?.includes(one) === false);
  if (unknown.length === 0) return fine(name, scopes);
  const detail = `The provider does not announce ${unknown.join(', ')} of OIDC_SCOPES, so claims may be missing.`;
  return { ...wrong(name, 'scope_unsupported', detail), optional: true };
}

/** Answers to a sign-in without a person that show that the provider knows the client and its redirect URI. */
const NEEDS_PERSON = /^(login|interaction|consent|account_selection)_required$/;

/** Begins a sign-in that must not show a page, as an unknown browser: the provider refuses a redirect URI that it does not know. */
async function checkRedirect(metadata: Metadata, { options, site }: CheckedProvider): Promise<ProviderCheck> {
  const name = 'sign-in redirect';
  const redirect = `${site}${CALLBACK_PATH}`;
  const url = new URL(metadata.authorization_endpoint);
  const query = {
    ...{ client_id: options.clientId, redirect_uri: redirect, response_type: 'code', scope: options.scopes },
    ...{ state: 'culprit-doctor', nonce: 'culprit-doctor', prompt: 'none', code_challenge_method: 'S256' },
    // Of the verifier of RFC 7636, appendix B: nobody exchanges the code.
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  };
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  const answer = await asked(url.href);
  if ('problem' in answer)
    return wrong(name, 'provider_unreachable', `${clipped(url.origin + url.pathname)}: ${answer.problem}.`);
  if (answer.status >= 400)
    return wrong(
      name,
      'redirect_refused',
      `The provider refuses a sign-in of ${options.clientId} that leads back to ${redirect} (status ${answer.status}). Register this redirect URI, and check OIDC_CLIENT_ID and PUBLIC_URL.`,
    );
  const to = answer.headers.get('location') ?? '';
  const error = to.startsWith(redirect) && URL.canParse(to) ? new URL(to).searchParams.get('error') : null;
  if (error !== null && !NEEDS_PERSON.test(error))
    return wrong(
      name,
      'request_refused',
      `The provider refuses the request: ${clipped(error)}. Check OIDC_SCOPES and the client’s permissions.`,
    );
  return fine(name, error === null ? `${redirect}; the provider shows a page` : `${redirect} is registered`);
}

function describeSignOut(metadata: Metadata, { site }: CheckedProvider): ProviderCheck {
  const page =
    metadata.end_session_endpoint === undefined
      ? 'ends only Culprit’s session'
      : 'leads to the provider, too';
  const order =
    metadata.backchannel_logout_supported === true
      ? `the provider can end sessions at ${site}${SIGN_IN_PATH}/logout`
      : 'the provider does not announce back-channel logout';
  return fine('sign-out', `${page}; ${order}`);
}

async function asked(url: string): Promise<Response | { readonly problem: string }> {
  try {
    return await boundedFetch(url, { headers: { accept: 'application/json' } });
  } catch (error) {
    const cause = error instanceof SignInError ? error.cause : error;
    return { problem: reasonOf(cause) };
  }
}

/** The innermost message: `fetch failed` says nothing. */
function reasonOf(error: unknown): string {
  let reason = error;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  return clipped(reason instanceof Error ? reason.message || reason.name : String(reason));
}

async function jsonOf(answer: Response): Promise<unknown> {
  return answer.json().catch(() => null);
}

function sameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).href === new URL(other).href;
}

function fine(name: string, detail: string): ProviderCheck {
  return { name, ok: true, detail };
}

function wrong(name: string, code: ProviderProblem, detail: string): ProviderCheck {
  return { name, ok: false, code, detail: `${detail} (${code})` };
}

function clipped(text: string): string {
  return clip(text, 200);
}
