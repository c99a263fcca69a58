import { CulpritError } from '@culprit/core';
import { jsonResponse } from '../../http/problem-response.js';
import { tooManyFailures } from '../authenticate.js';
import { SignInError } from '../oidc/options.js';
import { CALLBACK_PATH, type OidcSignIn, SIGN_IN_PATH } from '../oidc/sign-in.js';
import type { CoreRoute } from '../route.js';
import { signInOptionsSchema } from '../schema/sign-in.js';
import type { SignInLimit } from '../sign-in-limit.js';
import type { Site } from '../site.js';

export interface SignInRouteParts {
  /** `null` without a provider. */
  readonly oidc: OidcSignIn | null;
  /** Failed sign-ins at the provider, and forged orders of it, by address. */
  readonly oidcLimit: SignInLimit;
  readonly site: () => Site;
}

/** A logout token has about one kilobyte. */
const LOGOUT_BYTES = 16 * 1024;

/** Signs people in at an OpenID provider. */
export function signInRoutes({ oidc, oidcLimit, site }: SignInRouteParts): CoreRoute[] {
  const open = (): OidcSignIn => {
    if (oidc === null) throw new CulpritError('not_found', 'Sign-in at a provider is off. Set OIDC_ISSUER.');
    return oidc;
  };
  return [
    {
      method: 'GET',
      pattern: '/api/v1/sign-in',
      access: 'open',
      doc: {
        id: 'getSignInOptions',
        summary: 'Get how people can sign in other than with a token',
        answers: { 200: { what: 'The provider, or `null`', schema: signInOptionsSchema } },
      },
      handle: () =>
        jsonResponse(200, {
          provider: oidc && {
            name: oidc.displayName,
            path: `${site().path}${SIGN_IN_PATH}`,
            problem: oidc.problem(),
          },
        }),
    },
    {
      method: 'GET',
      pattern: SIGN_IN_PATH,
      access: 'open',
      admit: () => void open(),
      doc: {
        id: 'beginSignIn',
        summary: 'Begin a sign-in at the provider, in a browser',
        query: { to: 'The path of the board to return to' },
        answers: { 303: { what: 'To the provider, or back to the board if that is not possible' } },
        problems: ['not_found'],
      },
      handle: (request) => open().begin(request),
    },
    {
      method: 'GET',
      pattern: CALLBACK_PATH,
      access: 'open',
      admit: () => void open(),
      doc: {
        id: 'finishSignIn',
        summary: 'Finish a sign-in: the provider sends the browser here (OpenID Connect redirect URI)',
        query: {
          code: 'The authorization code',
          state: 'As it was sent to the provider',
          iss: 'The provider, if it says so',
          error: 'Why the provider refused',
        },
        answers: { 303: { what: 'Back to the board, with a session cookie or with `sign_in_problem`' } },
        problems: ['not_found'],
      },
      handle: (request) => open().finish(request),
    },
    {
      method: 'POST',
      pattern: `${SIGN_IN_PATH}/logout`,
      access: 'open',
      bodyLimit: LOGOUT_BYTES,
      admit: () => void open(),
      doc: {
        id: 'receiveProviderLogout',
        summary:
          'End the sessions that a logout token of the provider names (OpenID Connect Back-Channel Logout); a form',
        answers: { 200: { what: 'The sessions have ended, or there were none' } },
        problems: ['malformed', 'not_found', 'rate_limited', 'storage_unavailable'],
      },
      async handle(request) {
        const wait = oidcLimit.wait(request, null);
        if (wait !== null) throw tooManyFailures(wait);
        const token = new URLSearchParams(Buffer.from(request.body).toString()).get('logout_token') ?? '';
        try {
          await open().logOut(token);
        } catch (error) {
          if (!(error instanceof SignInError)) throw error;
          if (error.problem === 'answer_refused') oidcLimit.failed(request);
          throw new CulpritError('malformed', 'The logout token was not accepted.', { cause: error });
        }
        return { status: 200 };
      },
    },
  ];
}
