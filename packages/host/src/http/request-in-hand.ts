import type { KeptBody } from './long-body.js';
import type { HttpRequest } from './message.js';
import { clientGone } from './request-policy.js';

const NO_BODY = Buffer.alloc(0);

/** A request; what is not in its head is set when it is known. */
export class RequestInHand implements HttpRequest {
  params: Readonly<Record<string, string>> = {};
  body: Uint8Array = NO_BODY;
  pieces?: AsyncIterable<Uint8Array>;
  kept?: KeptBody;
  private abort: AbortController | null = null;
  private gone = false;

  constructor(
    readonly method: string,
    readonly path: string,
    readonly query: Readonly<Record<string, string>>,
    readonly headers: Readonly<Record<string, string>>,
    readonly remoteAddress: string,
    readonly receivedAt: number,
  ) {}

  /** Created on demand: few handlers can be aborted. */
  get signal(): AbortSignal {
    this.abort ??= new AbortController();
    if (this.gone) this.abort.abort(clientGone());
    return this.abort.signal;
  }

  /** The client disconnected. */
  leave(): void {
    this.gone = true;
    this.abort?.abort(clientGone());
  }
}

/** Headers of a request as they are read one by one, and whether they say clearly where it ends and for which host it is. */
export interface HeadersInHand {
  readonly headers: Record<string, string>;
  ambiguous: boolean;
}

export const noHeaders = (): HeadersInHand => ({ headers: Object.create(null), ambiguous: false });

/** `name` in lower case. */
export function addHeader(found: HeadersInHand, name: string, value: string): void {
  const earlier = found.headers[name];
  if (earlier === undefined) {
    found.headers[name] = value;
    return;
  }
  if (name === 'content-length' || (name === 'host' && earlier !== value)) found.ambiguous = true;
  found.headers[name] = `${earlier}, ${value}`;
}

export function isAmbiguous({ ambiguous, headers }: HeadersInHand): boolean {
  const coding = headers['transfer-encoding'];
  return ambiguous || (coding !== undefined && coding.toLowerCase() !== 'chunked');
}

const NO_QUERY: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

/** `text`: what follows the question mark. */
export function readQuery(text: string): Readonly<Record<string, string>> {
  if (text === '') return NO_QUERY;
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) query[name] = value;
  return query;
}
