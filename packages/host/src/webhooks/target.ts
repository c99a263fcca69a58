import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { CulpritError } from '@culprit/core';

/** Why no request was sent. */
export type TargetRefusal = 'address_refused';

/** Not reachable from the internet, or owned by the network (RFC 6890 and IANA's registries), and clouds' metadata services. */
const RESERVED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** Global unicast addresses are all below `2000::/3`; these of them lead elsewhere, or contain an IPv4 address. */
const RESERVED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const reserved = new BlockList();
for (const range of RESERVED_V4) reserved.addSubnet(...parts(range), 'ipv4');
for (const range of RESERVED_V6) reserved.addSubnet(...parts(range), 'ipv6');
const unicast = new BlockList();
unicast.addSubnet('2000::', 3, 'ipv6');

function parts(range: string): [string, number] {
  const [network = '', bits] = range.split('/');
  return [network, Number(bits)];
}

/** True for an address of the public internet. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  switch (isIP(plain)) {
    case 4:
      return !reserved.check(plain, 'ipv4');
    case 6:
      return unicast.check(plain, 'ipv6') && !reserved.check(plain, 'ipv6');
    default:
      return false;
  }
}

/** The host of a URL as a name or an address, without brackets and a final dot. */
export function hostOf({ hostname }: URL): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/**
 * Throws `malformed` for a URL to which nothing may be sent. Hosts in `allowed` may be private, and may be called by http. Names are
 * checked again when they are resolved.
 */
export function checkTarget(text: string, allowed: ReadonlySet<string>): URL {
  const refuse = (problem: string) => new CulpritError('malformed', `"url" ${problem}.`, { path: 'url' });
  if (text.length > 2_000 || !/^[!-~]+$/.test(text) || !URL.canParse(text))
    throw refuse('must be a URL of at most 2,000 ASCII characters');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('must start with https://');
  if (url.username !== '' || url.password !== '') throw refuse('must not contain a user or a password');
  if (url.hash !== '') throw refuse('must not contain a fragment');
  const host = hostOf(url);
  if (allowed.has(host)) return url;
  const how = `or an operator adds ${host} to WEBHOOK_ALLOWED_HOSTS`;
  if (url.protocol === 'http:') throw refuse(`must start with https://, ${how}`);
  const local = host === 'localhost' || host.endsWith('.localhost');
  if (local || (isIP(host) !== 0 && !isPublicAddress(host)))
    throw refuse(`must not be an address of a private network, ${how}`);
  return url;
}

/** Resolves names, and refuses the addresses of private networks: the connection uses exactly the addresses that were checked. */
export function publicLookup(resolve: typeof systemLookup = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      const open = found.filter(({ address }) => isPublicAddress(address));
      const [first] = open;
      if (first === undefined) return callback(addressRefused(), '', 0);
      if (options.all === true) return callback(null, open);
      return callback(null, first.address, first.family);
    });
  };
}

export function addressRefused(): NodeJS.ErrnoException {
  const refusal: TargetRefusal = 'address_refused';
  return Object.assign(new Error('The host is an address of a private network.'), { code: refusal });
}
