import { boundedMap } from '@culprit/core/resilience';
import { type ClientAddress, plainAddress } from './client-address.js';
import type { KeptBody } from './long-body.js';
import type { HttpRequest } from './message.js';
import { clientGone } from './request-policy.js';
import type { UwsRequest, UwsResponse } from './uws-load.js';

const NO_BODY = Buffer.alloc(0);

/** A request; what is not in its head is set when it is known. */
export class UwsRequestInHand implements HttpRequest {
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

export interface ReadHead {
  readonly head: UwsRequestInHand;
  /** Peers may disagree about where the body ends, or about the host. The bytes that follow must not be read. */
  readonly ambiguous: boolean;
}

/** Copies the native request, which is invalid after the callback. */
export function readHead(req: UwsRequest, res: UwsResponse, clientAddress: ClientAddress): ReadHead {
  const headers: Record<string, string> = Object.create(null);
  let ambiguous = false;
  req.forEach((name, value) => {
    const earlier = headers[name];
    if (earlier === undefined) headers[name] = value;
    else {
      if (name === 'content-length' || (name === 'host' && earlier !== value)) ambiguous = true;
      headers[name] = `${earlier}, ${value}`;
    }
  });
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') ambiguous = true;
  const peer = peerOf(res);
  return {
    head: new UwsRequestInHand(
      methodOf(req.getCaseSensitiveMethod()),
      req.getUrl(),
      readQuery(req.getQuery()),
      headers,
      clientAddress(peer, headers['x-forwarded-for']),
      Date.now(),
    ),
    ambiguous,
  };
}

const methodOf = (text: string) => (text === 'POST' ? text : text.toUpperCase());

/** Caches addresses in the socket's and in our notation. */
const plainAddresses = boundedMap<string, string>(1_000);

export function peerOf(res: Pick<UwsResponse, 'getRemoteAddressAsText'>): string {
  const socketAddress = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
  const known = plainAddresses.get(socketAddress);
  if (known !== undefined) return known;
  const plain = plainAddress(socketAddress) ?? socketAddress;
  plainAddresses.set(socketAddress, plain);
  return plain;
}

const NO_QUERY: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

function readQuery(text: string): Readonly<Record<string, string>> {
  if (text === '') return NO_QUERY;
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) query[name] = value;
  return query;
}
