import type { Engine } from '@culprit/core';
import { type Access, mayIn } from '@culprit/core/internal/domain/access';
import { about } from '@culprit/core/internal/domain/schema';
import type { Sender } from '@culprit/core/internal/domain/send-crashes';
import * as v from 'valibot';
import type { HttpRequest } from '../../http/message.js';
import { jsonResponse } from '../../http/problem-response.js';
import { tooManyFailures, unauthenticated } from '../authenticate.js';
import type { OidcSignIn } from '../oidc/sign-in.js';
import { readBody } from '../read-body.js';
import type { Recognised, Reviewers } from '../reviewers.js';
import type { CoreRoute } from '../route.js';
import { sessionSchema, shownAccess, signedOutSchema } from '../schema/session.js';
import { unseal } from '../sealed.js';
import { sessionClient } from '../session-client.js';
import { sessionCookie, sessionId } from '../session-cookie.js';
import type { Session, Sessions } from '../sessions.js';
import type { SignInLimit } from '../sign-in-limit.js';
import { LINK_CHARS, type LinkProblem, type SignInLinks } from '../sign-in-links.js';
import { checkSameSite, type Site } from '../site.js';
import { looksLikeToken } from '../tokens/token-text.js';

const NOT_FOR_PEOPLE = 'This is an API token, for programs. Sign in with a token of REVIEWER_TOKENS.';
const LONGEST_TOKEN = 1_000;
/** Room for `{"token":"…"}` with escapes. */
const LONGEST_SIGN_IN = 2 * LONGEST_TOKEN + 48;
const withTokenSchema = v.strictObject({
  token: v.pipe(v.string(), v.maxLength(LONGEST_TOKEN, 'is too long')),
});
const withLinkSchema = v.strictObject({
  link: about(v.pipe(v.string(), v.maxLength(LINK_CHARS, 'is too long')), 'The secret of a sign-in link.'),
});
const signInSchema = v.union([withTokenSchema, withLinkSchema]);
const madeLinkSchema = v.object({
  url: about(v.string(), 'Its fragment is the secret, which browsers send to no server.'),
  expires_at: v.string(),
});
const linkHolderSchema = v.object({
  name: about(v.string(), 'Whose session the link opens.'),
});
const signedInSchema = v.object({ name: v.string(), expires_at: v.string() });
export interface SessionRouteParts {
  readonly site: () => Site;
  readonly engine: () => Promise<Engine>;
  readonly reviewers: Reviewers;
  readonly sessions: Sessions;
  readonly limit: SignInLimit;
  readonly links: SignInLinks;
  /** Closes the live feeds of a session that has ended, on every core. `key` is its storage key. */
  readonly ended: (key: string) => Promise<void>;
  readonly dataDirectory: string | undefined;
  readonly senders: readonly Sender[];
  /** `null` without a provider. */
  readonly oidc: OidcSignIn | null;
}

/** Signs reviewers in and out. */
export function sessionRoutes(parts: SessionRouteParts): CoreRoute[] {
  return [
    {
      method: 'POST',
      pattern: '/api/v1/session',
      access: 'open',
      bodyLimit: LONGEST_SIGN_IN,
      doc: {
        id: 'signIn',
        summary: 'Sign in: exchange a reviewer token, or the secret of a sign-in link, for a session cookie',
        body: { schema: signInSchema, required: true },
        answers: { 200: { what: 'Signed in, with a session cookie', schema: signedInSchema } },
        problems: ['malformed', 'unauthenticated', 'origin_refused', 'rate_limited', 'storage_unavailable'],
      },
      handle: (request) => signIn(parts, request),
    },
    linkRoute(parts),
    linkHolderRoute(parts),
    {
      method: 'GET',
      pattern: '/api/v1/session',
      access: 'reviewer',
      scope: 'any',
      reach: 'none',
      doc: {
        id: 'getSession',
        summary: 'Get the current reviewer, the credential’s scopes and expiry and the rules of the gates',
        answers: { 200: { what: 'The reviewer', schema: sessionSchema } },
      },
      handle: ({ engine, identity: { reviewer, session, token, access } }) =>
        jsonResponse(200, {
          name: reviewer.name,
          expires_at: timeOf(session?.expiresAt ?? token?.expiresAt),
          ...shownAccess(access),
          ...(reviewer.token === undefined ? {} : { token: reviewer.token }),
          // For people, whom the board shows commands with it.
          ...(parts.dataDirectory === undefined || token !== null
            ? {}
            : { data_directory: parts.dataDirectory }),
          ...(token !== null ? {} : { senders: sendersIn(parts, access) }),
          rules: {
            second_person: engine.policy.requireSecondPerson,
            bound_approval: engine.policy.requireBoundApproval,
            investigates: engine.investigates(),
          },
        }),
    },
    {
      method: 'DELETE',
      pattern: '/api/v1/session',
      access: 'reviewer',
      scope: 'any',
      reach: 'none',
      doc: {
        id: 'signOut',
        summary: 'Sign out',
        answers: {
          200: {
            what: 'Signed out here; the provider has a page to sign out there, too',
            schema: signedOutSchema,
          },
          204: { what: 'Signed out' },
        },
      },
      async handle({ engine, identity, request }) {
        if (identity.session !== null) {
          await parts.sessions.close(engine.values, identity.session.key);
          await parts.ended(identity.session.key);
        }
        const headers = { 'set-cookie': sessionCookie(null, parts.site()) };
        const url = identity.session?.vouched ? signOutUrl(parts, identity.session, request) : null;
        return url === null ? { status: 204, headers } : jsonResponse(200, { provider_url: url }, headers);
      },
    },
  ];
}

/** Makes what `signIn` takes instead of a token. */
function linkRoute(parts: SessionRouteParts): CoreRoute {
  return {
    method: 'POST',
    pattern: '/api/v1/session/link',
    access: 'open',
    bodyLimit: LONGEST_SIGN_IN,
    doc: {
      id: 'makeSignInLink',
      summary: 'Make a link that signs in on the board as this reviewer token, once and within 15 minutes',
      body: { schema: withTokenSchema, required: true },
      answers: { 200: { what: 'The link', schema: madeLinkSchema } },
      problems: ['malformed', 'unauthenticated', 'origin_refused', 'rate_limited', 'storage_unavailable'],
    },
    async handle(request) {
      checkSameSite(parts.site(), request);
      const reviewer = reviewerWith(parts, request, readBody(request, withTokenSchema).token);
      const { secret, expiresAt } = await parts.links.make((await parts.engine()).values, reviewer);
      const url = `${parts.site().url}/#sign-in=${secret}`;
      return jsonResponse(200, { url, expires_at: timeOf(expiresAt) }, { 'cache-control': 'no-store' });
    },
  };
}

/** For the page that a link opens: a link of a stranger must not make somebody work under the stranger's name unseen. */
function linkHolderRoute(parts: SessionRouteParts): CoreRoute {
  return {
    method: 'POST',
    pattern: '/api/v1/session/link/holder',
    access: 'open',
    bodyLimit: LONGEST_SIGN_IN,
    doc: {
      id: 'getSignInLinkHolder',
      summary: 'Get whose session a sign-in link opens, without using it up',
      body: { schema: withLinkSchema, required: true },
      answers: { 200: { what: 'The reviewer', schema: linkHolderSchema } },
      problems: ['malformed', 'unauthenticated', 'origin_refused', 'rate_limited', 'storage_unavailable'],
    },
    async handle(request) {
      checkSameSite(parts.site(), request);
      const { link } = readBody(request, withLinkSchema);
      const { name } = await reviewerOfLink(parts, request, link, 'holder');
      return jsonResponse(200, { name });
    },
  };
}

function sendersIn({ senders }: SessionRouteParts, access: Access) {
  return senders.filter(({ project }) => mayIn(access, 'read', project));
}

function timeOf(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}

async function signIn(parts: SessionRouteParts, request: HttpRequest) {
  const { sessions, site } = parts;
  checkSameSite(site(), request);
  const proof = readBody(request, signInSchema);
  const { name, credential } =
    'token' in proof
      ? reviewerWith(parts, request, proof.token)
      : await reviewerOfLink(parts, request, proof.link, 'redeem');
  const { values } = await parts.engine();
  const { id, session, ended } = await sessions.open(values, { name, credential }, sessionClient(request));
  for (const key of ended) await parts.ended(key);
  return jsonResponse(
    200,
    { name: session.name, expires_at: new Date(session.expiresAt).toISOString() },
    { 'set-cookie': sessionCookie(id, site()) },
  );
}

function reviewerWith(
  { limit, reviewers }: SessionRouteParts,
  request: HttpRequest,
  token: string,
): Recognised {
  const reviewer = reviewers.recognise(token);
  const wait = limit.wait(request, reviewer);
  if (wait !== null) throw tooManyFailures(wait);
  if (reviewer === null) {
    limit.failed(request);
    throw unauthenticated(looksLikeToken(token) ? NOT_FOR_PEOPLE : 'Unknown reviewer token.');
  }
  limit.succeeded(reviewer);
  return reviewer;
}

const ANOTHER_LINK = 'Ask the person who runs Culprit for another link, or make one with “culprit link”.';

/** A link of this core never waits, as a right token; one of another core does after failures from the address, as a wrong one. */
async function reviewerOfLink(
  { limit, links, engine }: SessionRouteParts,
  request: HttpRequest,
  secret: string,
  how: 'holder' | 'redeem',
): Promise<Recognised> {
  const wait = links.made(secret) ? null : limit.wait(request, null);
  if (wait !== null) throw tooManyFailures(wait);
  const found: Recognised | LinkProblem = await links[how]((await engine()).values, secret);
  if (typeof found === 'object') return found;
  limit.failed(request);
  throw unauthenticated(
    found === 'used'
      ? `This sign-in link was used before; it works once. ${ANOTHER_LINK}`
      : `This sign-in link is unknown or has expired; it works for 15 minutes. ${ANOTHER_LINK}`,
  );
}

/** With the ID token of the sign-in, which only this browser's cookie unseals. */
function signOutUrl(
  { oidc, site }: SessionRouteParts,
  { idToken }: Session,
  request: HttpRequest,
): string | null {
  const id = sessionId(request.headers.cookie, site());
  return oidc?.signOutUrl(idToken !== null && id ? unseal(idToken, id) : null) ?? null;
}
