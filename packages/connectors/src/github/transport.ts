import type { RestAnswer } from './client.js';

/** What a request needs besides its route and parameters. */
export interface Sending {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** GitHub refused a request, or did not respond: then `response` is absent, and `cause` says why. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  readonly status: number;
  constructor(
    message: string,
    readonly response: RestAnswer | undefined,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.status = response?.status ?? 0;
  }
}

/** A response of GraphQL with errors. `data` may be partial. */
export class GraphqlFailure extends Error {
  override readonly name = 'GraphqlFailure';
  constructor(
    readonly data: unknown,
    readonly errors: readonly object[],
    readonly headers: RestAnswer['headers'],
  ) {
    super('GitHub reports errors.');
  }
}

/**
 * Sends `GET /repos/{owner}/{repo}` with its parameters: those that the route names go into the path, the others into
 * the query, or into the body as JSON. Redirects are followed. Rejects with {@link RequestFailure} unless the status is 2xx.
 */
export async function sendRest(
  route: string,
  parameters: Readonly<Record<string, unknown>>,
  sending: Sending,
): Promise<RestAnswer> {
  const [method = 'GET', template = '/'] = route.split(' ');
  const rest = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name] ?? ''));
    delete rest[name];
    return value;
  });
  if (method !== 'GET') return send(method, path, Object.keys(rest).length > 0 ? rest : undefined, sending);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
  return send(method, query.size > 0 ? `${path}?${query}` : path, undefined, sending);
}

/** The data of a GraphQL request. Rejects with {@link GraphqlFailure} if the response reports errors. */
export async function sendGraphql(
  query: string,
  variables: Readonly<Record<string, unknown>>,
  sending: Sending,
): Promise<unknown> {
  const { data: answer, headers } = await send('POST', '/graphql', { query, variables }, sending);
  const { data, errors } = Object(answer) as { readonly data?: unknown; readonly errors?: unknown };
  if (Array.isArray(errors)) {
    const named = errors.filter((one) => typeof one === 'object' && one !== null);
    throw new GraphqlFailure(data, named, headers);
  }
  return data;
}

async function send(method: string, path: string, body: unknown, sending: Sending): Promise<RestAnswer> {
  const { baseUrl, fetch, headers, signal } = sending;
  const json = body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { accept: 'application/vnd.github+json', 'user-agent': 'culprit', ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  }).then(readAnswer, (error: unknown) => {
    throw new RequestFailure('no response', undefined, error);
  });
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new RequestFailure(messageOf(answer), answer);
}

async function readAnswer(response: Response): Promise<RestAnswer> {
  const { status, url } = response;
  const headers = Object.fromEntries(response.headers);
  const text = await response.text().catch((error: unknown) => {
    throw new RequestFailure('the response was cut off', undefined, error);
  });
  return { status, url, headers, data: parsed(text) };
}

/** Proxies answer with HTML: it stays text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function messageOf({ status, data }: RestAnswer): string {
  const { message } = Object(data) as { readonly message?: unknown };
  return typeof message === 'string' ? message : `status ${status}`;
}
