import { parseRetryAfterMs, timeLimit } from '@culprit/core/resilience';
import { boundedText } from '../shared/bounded-text.js';
import type { ForgejoConfig } from './config.js';

/** Of a response. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A response with a status of 2xx. */
export interface Answer {
  readonly status: number;
  readonly data: unknown;
  /** True: the listing has a further page. */
  readonly more: boolean;
}

/** The server refused a request, or did not respond: then `status` is 0. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  constructor(
    readonly status: number,
    /** The server's words, without the token. */
    message: string,
    readonly more: { readonly timedOut?: boolean; readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(message);
  }
}

export type Query = Readonly<Record<string, string | number>>;

/** One token's requests. Never repeats one; the engine decides about retries. Rejects with {@link RequestFailure}. */
export interface ForgejoClient {
  /** `path` is below `/api/v1`, its variable parts encoded. */
  get(path: string, query: Query, signal: AbortSignal): Promise<Answer>;
  send(method: 'POST' | 'PATCH', path: string, body: object, signal: AbortSignal): Promise<Answer>;
}

export function forgejoClient(
  token: string,
  { url, timeoutMs }: Pick<ForgejoConfig, 'url' | 'timeoutMs'>,
  fetch: typeof globalThis.fetch,
): ForgejoClient {
  const ask = async (path: string, init: RequestInit, signal: AbortSignal): Promise<Answer> => {
    signal.throwIfAborted();
    const headers = { accept: 'application/json', 'user-agent': 'culprit', authorization: `token ${token}` };
    const failed = (error: unknown): never => {
      const { name, cause } = error as { name?: unknown; cause?: { name?: unknown } };
      const timedOut = [name, cause?.name].includes('TimeoutError');
      throw new RequestFailure(0, 'no response', { timedOut });
    };
    const limited = timeLimit(timeoutMs, signal);
    const address = `${url}/api/v1${path}`;
    const response = await fetch(address, {
      ...init,
      headers: { ...headers, ...init.headers },
      signal: limited,
    }).catch(failed);
    const { text, more } = await boundedText(response, MOST_BYTES).catch(failed);
    if (more) throw new RequestFailure(0, 'the response is too large');
    const data = parsed(text);
    if (response.ok) return { status: response.status, data, more: hasNext(response.headers.get('link')) };
    const { message } = Object(data) as { readonly message?: unknown };
    const said = typeof message === 'string' && message !== '' ? message : `status ${response.status}`;
    throw new RequestFailure(response.status, said.replaceAll(token, '[redacted]').slice(0, 500), {
      retryAfterMs: parseRetryAfterMs(response.headers.get('retry-after'), Date.now()),
    });
  };
  return {
    get(path, query, signal) {
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) search.set(name, String(value));
      return ask(search.size === 0 ? path : `${path}?${search}`, { method: 'GET' }, signal);
    },
    send: (method, path, body, signal) =>
      ask(
        path,
        { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
        signal,
      ),
  };
}

/** The path of a repository, encoded. `name` is `owner/name`. */
export function repositoryPath(name: string): string {
  return `/repos/${name.split('/').map(encodeURIComponent).join('/')}`;
}

/** `<https://…?page=2>; rel="next",<…>; rel="last"` */
function hasNext(link: string | null): boolean {
  return /;\s*rel="next"/.test(link ?? '');
}

/** Proxies answer with HTML: it stays text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
