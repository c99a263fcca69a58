import { SESSION_TTL_MS } from './sessions.js';
import type { Site } from './site.js';

/**
 * With https the prefix keeps other hosts of the domain from setting the cookie; `__Host-` needs the whole host, so a board below a
 * path has `__Secure-`.
 */
const COOKIE_PREFIXES = ['__Host-', '__Secure-', ''] as const;
type Place = Pick<Site, 'secure' | 'path'>;

/** The name of the session cookie. */
function sessionCookieName({ secure, path }: Place): string {
  const [host, below, plain] = COOKIE_PREFIXES;
  return `${secure ? (path === '' ? host : below) : plain}culprit_session`;
}

/** The session ID of a `Cookie` header; `null` if missing, malformed or ambiguous. */
export function sessionId(cookie: string | undefined, place: Place): string | null {
  return idIn(cookie, sessionCookieName(place));
}

/** The same without knowing how the board is reached, for a request that has been authenticated. */
export function authenticatedSessionId(cookie: string | undefined): string | null {
  for (const prefix of COOKIE_PREFIXES) {
    const id = idIn(cookie, `${prefix}culprit_session`);
    if (id !== null) return id;
  }
  return null;
}

function idIn(cookie: string | undefined, name: string): string | null {
  const id = cookieOf(cookie, name);
  return id !== null && /^[A-Za-z0-9_-]{43}$/.test(id) ? id : null;
}

/** The value of a cookie; `null` if there is none, or more than one: nobody can tell which of them is another site's. */
export function cookieOf(header: string | undefined, name: string): string | null {
  const values = valuesOf(header, name);
  return values.size === 1 ? ([...values][0] ?? null) : null;
}

/** True: another site of the domain, or another program on this host, has set the cookie, too. */
export function hasTwoSessions(header: string | undefined, place: Place): boolean {
  return valuesOf(header, sessionCookieName(place)).size > 1;
}

function valuesOf(header: string | undefined, name: string): ReadonlySet<string> {
  const pairs = (header ?? '').split(';').map((pair) => [pair.indexOf('='), pair] as const);
  const own = pairs.filter(([at, pair]) => pair.slice(0, Math.max(0, at)).trim() === name);
  return new Set(own.map(([at, pair]) => pair.slice(at + 1).trim()));
}

/** `Set-Cookie` for a session, or to end one (`id` null). `Secure` if the board uses https; only for paths of the board. */
export function sessionCookie(id: string | null, place: Place): string {
  const { secure, path } = place;
  const age = id === null ? 0 : SESSION_TTL_MS / 1000;
  const flags = `HttpOnly; SameSite=Strict; Path=${path || '/'}; Max-Age=${age}${secure ? '; Secure' : ''}`;
  return `${sessionCookieName(place)}=${id ?? ''}; ${flags}`;
}
