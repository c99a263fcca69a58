import { timeLimit } from '@culprit/core/resilience';
import { boundedText } from '../shared/bounded-text.js';
import type { GitlabConfig } from './config.js';
import { isRateLimit, retryAfterMs } from './errors.js';
import { RequestFailure, TOO_LARGE } from './request-failure.js';

export interface GitlabAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text if it is none. */
  readonly data: unknown;
}

type Parameter = string | number | boolean | readonly (string | number)[] | undefined;
export type Parameters = Readonly<Record<string, Parameter>>;

/** The REST API of one server, with one token. It never retries. Rejects with {@link RequestFailure} unless the status is 2xx. */
export interface GitlabClient {
  /**
   * `route` is `GET /projects/{id}/issues`: the parameters that it names go into the path, the others into the query, or into
   * the body as JSON. Redirects of moved projects are followed, except by writes, which GitLab refuses.
   */
  rest(route: string, parameters: Parameters, signal: AbortSignal): Promise<GitlabAnswer>;
  /** The `data` of a GraphQL query; `null` if it failed. */
  graphql(query: string, variables: Parameters, signal: AbortSignal): Promise<unknown>;
}

/** Waits beyond this can only come from a wrong clock. */
const LONGEST_MS = 60 * 60_000;
/** A caller that waited as instructed may be early by the timer's resolution. */
const EARLY_MS = 1_000;

/** While a rate limit lasts nothing is sent: requests during the wait prolong it on some servers. */
export function gitlabClient(
  token: string,
  config: Pick<GitlabConfig, 'url' | 'timeoutMs'>,
  fetch: typeof globalThis.fetch,
): GitlabClient {
  let blockedUntil = 0;

  async function send(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<GitlabAnswer> {
    const left = blockedUntil - Date.now();
    if (left > EARLY_MS)
      throw new RequestFailure(429, 'Too many requests', { 'retry-after': String(Math.ceil(left / 1_000)) });
    try {
      return await exchange(fetch, `${config.url}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${token}`,
          'user-agent': 'culprit',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: timeLimit(config.timeoutMs, signal),
      });
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      if (isRateLimit(error))
        blockedUntil = Date.now() + Math.min(retryAfterMs(error, Date.now()), LONGEST_MS);
      error.message = error.message.replaceAll(token, '[redacted]');
      throw error;
    }
  }

  return {
    rest(route, parameters, signal) {
      const [method = 'GET', template = '/'] = route.split(' ');
      const rest = new Map(Object.entries(parameters).filter(([, value]) => value !== undefined));
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = encodeURIComponent(String(rest.get(name) ?? ''));
        rest.delete(name);
        return value;
      });
      if (method !== 'GET') return send(method, `/api/v4${path}`, Object.fromEntries(rest), signal);
      const query = new URLSearchParams();
      for (const [name, value] of rest) {
        if (Array.isArray(value)) for (const one of value) query.append(`${name}[]`, String(one));
        else query.set(name, String(value));
      }
      return send('GET', `/api/v4${path}${query.size > 0 ? `?${query}` : ''}`, undefined, signal);
    },
    async graphql(query, variables, signal) {
      const { data } = await send('POST', '/api/graphql', { query, variables }, signal);
      return Object(data).data ?? null;
    },
  };
}

/** Of a response. A file comes as base64, which is a third longer. */
const MOST_BYTES = 16 * 1024 * 1024;

async function exchange(
  fetch: typeof globalThis.fetch,
  url: string,
  request: RequestInit,
): Promise<GitlabAnswer> {
  const lost = (what: string) => (error: unknown) => {
    const { name, cause } = error as {
      readonly name?: unknown;
      readonly cause?: { readonly name?: unknown };
    };
    const timedOut = [name, cause?.name].some((one) => one === 'TimeoutError' || one === 'AbortError');
    throw new RequestFailure(0, what, {}, timedOut);
  };
  const response = await fetch(url, request).catch(lost('no response'));
  const { text, more } = await boundedText(response, MOST_BYTES).catch(lost('the response was cut off'));
  if (more) throw new RequestFailure(TOO_LARGE, 'the response is too large');
  const { status } = response;
  const answer = { status, headers: Object.fromEntries(response.headers), data: parsed(text) };
  if (status >= 200 && status < 300) return answer;
  const { needs_captcha_response: captcha } = Object(answer.data) as Readonly<Record<string, unknown>>;
  throw new RequestFailure(status, messageOf(answer.data, status), answer.headers, false, captcha === true);
}

/** Rate limits and proxies answer with text or HTML: it stays text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `message` is a text, an object of fields with what is wrong with them, or absent beside `error` and `error_description`. */
function messageOf(data: unknown, status: number): string {
  const { message, error, error_description } = Object(data) as Readonly<Record<string, unknown>>;
  const said = message ?? (error === undefined ? undefined : [error, error_description].filter(Boolean));
  if (typeof said === 'string') return said.slice(0, 500);
  if (Array.isArray(said)) return said.join(': ').slice(0, 500);
  if (typeof said !== 'object' || said === null) return `status ${status}`;
  return Object.entries(said)
    .map(
      ([field, problems]) => `${field} ${Array.isArray(problems) ? problems.join(', ') : String(problems)}`,
    )
    .join('; ')
    .slice(0, 500);
}
