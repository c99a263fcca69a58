import { isIP } from 'node:net';
import { blockList, isLoopback, networkOf } from './client-address.js';
import { createTokenBuckets } from './token-buckets.js';

export interface ConnectionLimitOptions {
  /** New connections a second, and at once, of one address. */
  readonly rate: () => number;
  readonly burst: () => number;
  /** These and loopback are not limited: their connections carry the requests of many clients. */
  readonly trustedProxies: readonly string[];
}

/**
 * Whether a peer may open another connection. The native server closes a silent one after about 10 s, so that the rate
 * also bounds how many silent connections an address can hold.
 */
export function createConnectionLimit({
  rate,
  burst,
  trustedProxies,
}: ConnectionLimitOptions): (peer: string) => boolean {
  const buckets = createTokenBuckets({ rate, burst });
  const proxies = blockList(trustedProxies);
  return (peer) => {
    if (isLoopback(peer) || proxies.check(peer, isIP(peer) === 6 ? 'ipv6' : 'ipv4')) return true;
    return buckets.take(networkOf(peer)) === 0;
  };
}
