import type { IncomingMessage } from 'node:http';
import type { ClientAddress } from './client-address.js';
import type { ReadHead } from './driver.js';
import { addHeader, isAmbiguous, noHeaders, RequestInHand, readQuery } from './request-in-hand.js';

/** From the headers as sent: `node:http` drops some repeated ones. `peer`: the socket's address in our notation. */
export function readNodeHead(
  incoming: IncomingMessage,
  peer: string,
  clientAddress: ClientAddress,
): ReadHead {
  const { rawHeaders, url = '/', method = 'GET' } = incoming;
  const found = noHeaders();
  for (let at = 0; at < rawHeaders.length; at += 2)
    addHeader(found, (rawHeaders[at] ?? '').toLowerCase(), rawHeaders[at + 1] ?? '');
  const { headers } = found;
  const mark = url.indexOf('?');
  return {
    head: new RequestInHand(
      method,
      mark === -1 ? url : url.slice(0, mark),
      readQuery(mark === -1 ? '' : url.slice(mark + 1)),
      headers,
      clientAddress(peer, headers['x-forwarded-for']),
      Date.now(),
    ),
    ambiguous: isAmbiguous(found),
  };
}
