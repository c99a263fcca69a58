import { timeLimit } from '@culprit/core/connector';
import { boundedText } from '../bounded-text.js';
import { type Limits, noResponse, RequestFailure } from './errors.js';

/** A response with a status of 2xx. */
export interface RestAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text if it is not JSON. */
  readonly data: unknown;
}

type Parameter = string | number | boolean | readonly (string | number)[] | undefined;
export type Parameters = Readonly<Record<string, Parameter>>;

/** One token's access to one server. It never repeats a request. Rejects with {@link RequestFailure} unless the status is 2xx. */
export interface RestClient {
  /**
   * `route` is `GET /projects/{id}/issues`: the parameters that it names go into the path, the others into the query, or into
   * the body as JSON. Redirects are followed.
   */
  rest(route: string, parameters: Parameters, signal: AbortSignal): Promise<RestAnswer>;
  /** A request to any address of the server. */
  send(method: string, url: string, body: unknown, signal: AbortSignal): Promise<RestAnswer>;
}

export interface RestClientOptions {
  /** Base address of the routes. */
  readonly api: string;
  readonly token: string;
  /** What precedes the token in its header. */
  readonly scheme: 'Bearer' | 'token';
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch;
  /** While one lasts nothing is sent. Absent: the server has none of its own. */
  readonly limits?: Limits;
}

/** Of a response. A file comes as base64, which is a third longer. */
const MAX_BYTES = 16 * 1024 * 1024;

export function restClient({ api, token, scheme, timeoutMs, fetch, limits }: RestClientOptions): RestClient {
  const hidden = (text: string) => text.replaceAll(token, '[redacted]').slice(0, 500);

  async function exchange(url: string, init: RequestInit): Promise<RestAnswer> {
    const lost = (what: string) => (error: unknown) => {
      throw new RequestFailure(noResponse(error, what));
    };
    const response = await fetch(url, init).catch(lost('no response'));
    const { text, more } = await boundedText(response, MAX_BYTES).catch(lost('the response was cut off'));
    const { status } = response;
    const headers = Object.fromEntries(response.headers);
    if (more)
      throw new RequestFailure({ status: 0, tooLarge: true, headers, message: 'the response is too large' });
    const data = jsonOrText(text);
    if (response.ok) return { status, headers, data };
    const { needs_captcha_response: captcha } = Object(data) as Readonly<Record<string, unknown>>;
    const message = hidden(messageIn(data) || `status ${status}`);
    throw new RequestFailure({ status, headers, message, captcha: captcha === true });
  }

  async function send(method: string, url: string, body: unknown, signal: AbortSignal): Promise<RestAnswer> {
    signal.throwIfAborted();
    const refusal = limits?.refusal('rest', Date.now());
    if (refusal) throw refusal;
    const json = body !== undefined;
    const headers = {
      accept: 'application/json',
      'user-agent': 'culprit',
      authorization: `${scheme} ${token}`,
    };
    const request = {
      method,
      headers: json ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(json ? { body: JSON.stringify(body) } : {}),
      signal: timeLimit(timeoutMs, signal),
    };
    try {
      return await exchange(url, request);
    } catch (error) {
      if (error instanceof RequestFailure) limits?.observe('rest', error.failure, Date.now());
      throw error;
    }
  }

  return {
    send,
    async rest(route, parameters, signal) {
      const [method = 'GET', template = '/'] = route.split(' ');
      const rest = new Map(Object.entries(parameters).filter(([, value]) => value !== undefined));
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = encodeURIComponent(String(rest.get(name) ?? ''));
        rest.delete(name);
        return value;
      });
      if (method !== 'GET') return send(method, `${api}${path}`, Object.fromEntries(rest), signal);
      const query = new URLSearchParams();
      for (const [name, value] of rest) {
        if (Array.isArray(value)) for (const one of value) query.append(`${name}[]`, String(one));
        else query.set(name, String(value));
      }
      return send(method, `${api}${path}${query.size > 0 ? `?${query}` : ''}`, undefined, signal);
    },
  };
}

/** Rate limits and proxies answer with text or HTML: it stays text. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `message` is a text, an object of fields with what is wrong with them, or absent beside `error` and `error_description`. */
function messageIn(data: unknown): string {
  const { message, error, error_description } = Object(data) as Readonly<Record<string, unknown>>;
  const said = message ?? (error === undefined ? undefined : [error, error_description].filter(Boolean));
  if (typeof said === 'string') return said;
  if (Array.isArray(said)) return said.join(': ');
  return Object.entries(Object(said))
    .map(([field, wrong]) => `${field} ${Array.isArray(wrong) ? wrong.join(', ') : String(wrong)}`)
    .join('; ');
}

/** The pages of a list. `ask` gets the parameters that the `Link` header of the page before adds. */
export async function* pagesOf(ask: (next: Parameters) => Promise<RestAnswer>): AsyncGenerator<RestAnswer> {
  let next: Parameters | null = {};
  for (let page = 1; next !== null; page++) {
    const answer = await ask(next);
    yield answer;
    next = nextPage(answer, page + 1);
  }
}

/**
 * What the header `Link` (`<https://…?page=2>; rel="next",<…>; rel="last"`) adds to the query of the next page; `page` is its
 * number, where
 * the header does not name it. `null`: this is the last page.
 */
export function nextPage({ headers }: Pick<RestAnswer, 'headers'>, page: number): Parameters | null {
  const link = headers.link ?? '';
  if (!/rel="next"/.test(link)) return null;
  // Without `<` in it: a header full of them would take a time in proportion to the square of its length.
  const address = /<([^<>]+)>;\s*rel="next"/.exec(link)?.[1] ?? '';
  const query = URL.canParse(address) ? new URL(address).searchParams : new URLSearchParams();
  const at = ['page', 'page_token', 'cursor'].filter((name) => query.has(name));
  return at.length === 0 ? { page } : Object.fromEntries(at.map((name) => [name, query.get(name) ?? '']));
}
