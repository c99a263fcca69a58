import { ApiError, errorOf, unreachable, unreadable, unsendable } from './api-error.js';

/** How a client calls core. */
export interface CallOptions {
  /** Rejects the call with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Time limit of each attempt. Default: 180,000, because a gate may use the whole time budget of an analysis. */
  readonly timeoutMs?: number;
  /**
   * How often a call is repeated that is safe to repeat: when there is no response, and when core says when to come back, up
   * to 30 seconds later. Default: 2.
   */
  readonly retries?: number;
  /**
   * The `Idempotency-Key` of the next decision, instead of a random one: with the same key, core does it once in 24 hours, also
   * if your program was restarted in between. Use `client.with({ idempotencyKey })` for one call only.
   */
  readonly idempotencyKey?: string;
}

/** Where core is, and who calls. */
export interface ClientOptions extends CallOptions {
  /** Core's URL, such as `https://culprit.example` or `https://shop.example/culprit`. */
  readonly url: string;
  /** A token. Without one, browsers send the board's session cookie. */
  readonly token?: string | null;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** One HTTP request, its path relative to core's URL. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 180_000;
const RETRIES = 2;
/** Core may ask to come back later than a caller wants to wait. */
const MAX_WAIT_MS = 30_000;
const FIRST_PAUSE_MS = 250;

/** Sends a request, again if that is safe. Resolves with the document, the text, or `undefined` without a body. */
export async function send(request: Request, options: ClientOptions): Promise<unknown> {
  const sent = withKey(request, options);
  const mayRepeat = request.method !== 'PUT' || request.headers?.['if-match'] === undefined;
  const { retries = RETRIES, signal } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await once(sent, options);
    } catch (error) {
      const wait = mayRepeat && attempt < retries ? waitOf(error, attempt) : null;
      if (wait === null) throw error;
      await pause(wait, signal);
    }
  }
}

/** A decision has a key, so that core makes it once however often the request arrives. */
function withKey(request: Request, { idempotencyKey }: CallOptions): Request {
  if (request.method !== 'POST') return request;
  const key = idempotencyKey ?? newKey();
  return { ...request, headers: { ...request.headers, 'idempotency-key': `"${key}"` } };
}

/** Browsers have `crypto.randomUUID` only on https. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** `null`: do not repeat. */
function waitOf(error: unknown, attempt: number): number | null {
  if (!(error instanceof ApiError)) return null;
  if (error.retryAfterMs !== null) return error.retryAfterMs <= MAX_WAIT_MS ? error.retryAfterMs : null;
  const isLost = error.status === 0 && (error.cause as { name?: string })?.name !== 'TimeoutError';
  return isLost ? FIRST_PAUSE_MS * 4 ** attempt * (0.75 + Math.random() / 4) : null;
}

async function once({ method, path, body, headers }: Request, options: ClientOptions): Promise<unknown> {
  const { url, token = null, fetch = globalThis.fetch, signal } = options;
  if (token !== null && !/^[\t\x20-~]*$/.test(token.trim())) throw unsendable();
  const address = `${url}${path.split('?')[0]}`;
  const limit = limited(options.timeoutMs ?? TIMEOUT_MS, signal);
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      credentials: 'same-origin',
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: limit.signal,
    });
    const text = await response.text();
    if (!response.ok) throw errorOf(response, text, address);
    return documentOf(response, text, address);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof ApiError ? error : unreachable(url, error);
  } finally {
    limit.end();
  }
}

/** Documents are JSON, except pages such as a fix brief. */
function documentOf({ status, headers }: Response, text: string, address: string): unknown {
  if (text === '') return undefined;
  if (/^text\/(?:markdown|html)\b/.test(headers.get('content-type') ?? '')) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(status, address);
  }
}

/** A signal that aborts after a time or with another one. Some browsers have no `AbortSignal.any`. */
function limited(ms: number, outer: AbortSignal | undefined) {
  const inner = new AbortController();
  const follow = () => inner.abort(outer?.reason);
  const timer = setTimeout(
    () => inner.abort(new DOMException('The time limit has passed.', 'TimeoutError')),
    ms,
  );
  outer?.addEventListener('abort', follow);
  if (outer?.aborted === true) follow();
  return {
    signal: inner.signal,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', follow);
    },
  };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(done, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    function done() {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    signal?.addEventListener('abort', stop, { once: true });
  });
}
