import { type ClientAddress, plainAddress } from './client-address.js';
import type { HttpRequest } from './message.js';
import type { UwsRequest, UwsResponse } from './uws-load.js';

export type RequestHead = Omit<HttpRequest, 'body' | 'signal'>;

export interface ReadHead {
  readonly head: RequestHead;
  /** `null`: chunked or no body at all. */
  readonly declaredLength: number | null;
  /** True: a header that may stand only once came twice with different values, so peers may disagree on the body. */
  readonly ambiguous: boolean;
}

/** Copies what the native request holds; it is gone after the callback. */
export function readHead(req: UwsRequest, res: UwsResponse, clientAddress: ClientAddress): ReadHead {
  const headers: Record<string, string> = Object.create(null);
  let ambiguous = false;
  req.forEach((name, value) => {
    const earlier = headers[name];
    if (earlier === undefined) headers[name] = value;
    else {
      if ((name === 'content-length' || name === 'host') && earlier !== value) ambiguous = true;
      headers[name] = `${earlier}, ${value}`;
    }
  });
  const peer = peerOf(res);
  const declared = headers['content-length'];
  return {
    head: {
      method: methodOf(req.getCaseSensitiveMethod()),
      path: req.getUrl(),
      params: {},
      query: readQuery(req.getQuery()),
      headers,
      remoteAddress: clientAddress(peer, headers['x-forwarded-for']),
      receivedAt: Date.now(),
    },
    declaredLength: declared !== undefined && /^\d{1,15}$/.test(declared) ? Number(declared) : null,
    ambiguous,
  };
}

const methodOf = (text: string) => (text === 'POST' ? text : text.toUpperCase());

/** Addresses as the socket writes them, and as we do; the same few come again and again. */
let plainAddresses = new Map<string, string>();
const REMEMBERED = 1_000;

function peerOf(res: UwsResponse): string {
  const socketAddress = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
  const known = plainAddresses.get(socketAddress);
  if (known !== undefined) return known;
  const plain = plainAddress(socketAddress) ?? socketAddress;
  if (plainAddresses.size >= REMEMBERED) plainAddresses = new Map();
  plainAddresses.set(socketAddress, plain);
  return plain;
}

function readQuery(text: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  if (text !== '') for (const [name, value] of new URLSearchParams(text)) query[name] = value;
  return query;
}
