import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { type ClientAddress, plainAddress } from './client-address.js';
import type { ReadHead } from './driver.js';
import { addHeader, isAmbiguous, noHeaders, RequestInHand, readQuery } from './request-in-hand.js';
import type { UwsRequest, UwsResponse } from './uws-load.js';

/** Copies the native request, which is invalid after the callback. */
export function readHead(req: UwsRequest, res: UwsResponse, clientAddress: ClientAddress): ReadHead {
  const found = noHeaders();
  req.forEach((name, value) => {
    addHeader(found, name, value);
  });
  const { headers } = found;
  return {
    head: new RequestInHand(
      methodOf(req.getCaseSensitiveMethod()),
      req.getUrl(),
      readQuery(req.getQuery()),
      headers,
      clientAddress(peerOf(res), headers['x-forwarded-for']),
      Date.now(),
    ),
    ambiguous: isAmbiguous(found),
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
