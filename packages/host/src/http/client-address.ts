import { BlockList, isIP } from 'node:net';
import { CulpritError } from '@culprit/core';

export type ClientAddress = (peer: string, forwardedFor: string | undefined) => string;

/**
 * The client of a request: the socket's peer, or, if the peer is a trusted proxy, the right-most untrusted address in
 * `x-forwarded-for`. An entry that is not an address ends the search at the proxy before it. `trusted` holds addresses
 * and CIDR blocks; anything else is a `configuration` error.
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return (peer) => peer;
  const proxies = blockList(trusted);
  const isTrusted = (address: string) => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return (peer, forwardedFor) => {
    if (forwardedFor === undefined || isIP(peer) === 0 || !isTrusted(peer)) return peer;
    let nearest = peer;
    for (const entry of forwardedFor.split(',').reverse()) {
      const address = plainAddress(entry.trim());
      if (address === null) return nearest;
      nearest = address;
      if (!isTrusted(address)) return address;
    }
    return nearest;
  };
}

/** The address in `[::1]:80`, `10.0.0.1:80` or an IPv4-mapped IPv6 address; `null` if it is not an address. */
export function plainAddress(text: string): string | null {
  let address = text;
  const bracketed = /^\[([^\]]{1,64})\](?::\d{1,5})?$/.exec(text);
  if (bracketed?.[1] !== undefined) address = bracketed[1];
  else if (/^[\d.]{7,15}:\d{1,5}$/.test(text)) address = text.slice(0, text.indexOf(':'));
  const family = isIP(address);
  if (family === 0) return null;
  return family === 6 ? unmapped(address) : address;
}

export function isLoopback(address: string): boolean {
  return address === '127.0.0.1' || address === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}

/**
 * The network that counts as one client. A client can choose the last 64 bits of its IPv6 address, so only the first
 * 64 count.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const before = head.split(':').filter((part) => part !== '');
  const after = (tail ?? '').split(':').filter((part) => part !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

function unmapped(address: string): string {
  const short = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short);
  if (mapped?.[1] === undefined || mapped[2] === undefined) return short;
  const high = Number.parseInt(mapped[1], 16);
  const low = Number.parseInt(mapped[2], 16);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

export function blockList(trusted: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of trusted) {
    const [address = '', prefix] = entry.trim().split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const bits = prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix);
    try {
      if (isIP(address) === 0 || !Number.isInteger(bits)) throw new TypeError('not an address');
      list.addSubnet(address, bits, family);
    } catch {
      const hint = 'Use addresses or blocks such as 10.0.0.0/8, separated by commas.';
      throw new CulpritError('configuration', `TRUSTED_PROXIES: "${entry}" is not an address. ${hint}`);
    }
  }
  return list;
}
