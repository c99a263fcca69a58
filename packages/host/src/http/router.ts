import { CulpritError } from '@culprit/core';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import type { HttpResponse, Route } from './message.js';
import { problemResponse } from './problem-response.js';

export type Match<One = Route> =
  | { readonly route: One; readonly params: Readonly<Record<string, string>> }
  | { readonly answer: HttpResponse };

interface Candidate<One> {
  readonly route: One;
  readonly segments: readonly string[];
}

export type Router<One = Route> = (method: string, path: string) => Match<One>;

/**
 * Finds the route of a request. HEAD uses the GET route. OPTIONS without a route responds 204 with `Allow`; a known
 * path with another method 405 with `Allow`; anything else 404. A trailing slash matters: `/a` and `/a/` are two
 * patterns. Literal segments take precedence over `:name`, `:name` over `*name`.
 */
export function createRouter<One extends Pick<Route, 'method' | 'pattern'>>(
  routes: readonly One[],
): Router<One> {
  const candidates = routes
    .map((route): Candidate<One> => ({ route, segments: route.pattern.split('/').slice(1) }))
    .sort((left, right) => rank(right).localeCompare(rank(left)));
  const find: Router<One> = (method, path) => {
    const parts = path.split('/').slice(1);
    const wanted = method === 'HEAD' ? 'GET' : method;
    const allowed = new Set<string>();
    for (const { route, segments } of candidates) {
      if (!fits(segments, parts)) continue;
      if (route.method !== wanted) {
        allowed.add(route.method);
        continue;
      }
      const params = take(segments, parts);
      return params ? { route, params } : { answer: undecodable() };
    }
    if (allowed.size === 0) return { answer: notFound() };
    if (allowed.has('GET')) allowed.add('HEAD');
    const allow = [...allowed, 'OPTIONS'].filter((name, at, all) => all.indexOf(name) === at).join(', ');
    if (method === 'OPTIONS') return { answer: { status: 204, headers: { allow } } };
    return { answer: notAllowed(allow) };
  };
  return remembering(find);
}

const REMEMBERED = 256;
const LONGEST_REMEMBERED = 128;

/** Caches the few paths of nearly all requests. Bounded, so that unknown paths cost no memory. */
function remembering<One>(find: Router<One>): Router<One> {
  const known = boundedMap<string, Match<One>>(REMEMBERED);
  return (method, path) => {
    if (path.length > LONGEST_REMEMBERED) return find(method, path);
    // No path has a blank.
    const key = method === 'POST' ? path : `${method} ${path}`;
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const match = find(method, path);
    known.set(key, match);
    return match;
  };
}

/** Sorts by the kind of each segment: 2 literal, 1 `:name`, 0 `*name`. */
function rank({ segments }: Pick<Candidate<Route>, 'segments'>): string {
  return segments
    .map((segment) => (segment.startsWith(':') ? '1' : segment.startsWith('*') ? '0' : '2'))
    .join('');
}

function fits(segments: readonly string[], parts: readonly string[]): boolean {
  const last = segments[segments.length - 1];
  const open = last?.startsWith('*') === true;
  if (open ? parts.length < segments.length : parts.length !== segments.length) return false;
  return segments.every((segment, at) => {
    if (segment.startsWith('*')) return true;
    if (segment.startsWith(':')) return parts[at] !== '';
    return segment === parts[at];
  });
}

/** `null` if a percent-encoding is invalid. */
function take(segments: readonly string[], parts: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = Object.create(null);
  for (const [at, segment] of segments.entries()) {
    const rest = segment.startsWith('*');
    if (!rest && !segment.startsWith(':')) continue;
    const decoded = decodeSafely(rest ? parts.slice(at).join('/') : (parts[at] ?? ''));
    if (decoded === null) return null;
    params[segment.slice(1)] = decoded;
  }
  return params;
}

function decodeSafely(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Its reason tells a client of a wrong address from what was not found at the right one. */
export function unknownPath(detail: string): CulpritError {
  return new CulpritError('not_found', detail, { members: { reason: 'unknown_path' } });
}

const notFound = () => problemResponse(unknownPath('Unknown path. See /openapi.json or the README.'));
const undecodable = () =>
  problemResponse(new CulpritError('malformed', 'The path contains an invalid percent-encoding.'));
function notAllowed(allow: string): HttpResponse {
  const answer = problemResponse(new CulpritError('method_not_allowed', `Use one of: ${allow}.`));
  return { ...answer, headers: { ...answer.headers, allow } };
}
