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
  const socketAddress = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
  const peer = plainAddress(socketAddress) ?? socketAddress;
  const declared = headers['content-length'];
  return {
    head: {
      method: req.getCaseSensitiveMethod().toUpperCase(),
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

function readQuery(text: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  if (text !== '') for (const [name, value] of new URLSearchParams(text)) query[name] = value;
  return query;
}
