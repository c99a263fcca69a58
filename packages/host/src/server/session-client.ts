import { isIP } from 'node:net';
import { isLoopback } from '../http/client-address.js';
import type { RequestHead } from '../http/message.js';

/** Where a session was opened, without anything that identifies the device. */
export interface SessionClient {
  /** `Firefox on Linux`; `unknown` for a program. */
  readonly program: string;
  readonly network: 'loopback' | 'private' | 'public';
}

/** The first that matches: other browsers name Chrome and Safari as well. */
const BROWSERS: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
];
const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
const PRIVATE = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|f[cd][0-9a-f]{2}:|fe80:)/i;

/** Only words of the tables above, so the header's text is never stored. */
export function sessionClient({
  headers,
  remoteAddress,
}: Pick<RequestHead, 'headers' | 'remoteAddress'>): SessionClient {
  const agent = headers['user-agent'] ?? '';
  const browser = firstOf(BROWSERS, agent);
  const system = firstOf(SYSTEMS, agent);
  const program = browser === null ? 'unknown' : system === null ? browser : `${browser} on ${system}`;
  return { program, network: networkClass(remoteAddress) };
}

function firstOf(rows: readonly (readonly [string, RegExp])[], agent: string): string | null {
  return rows.find(([, pattern]) => pattern.test(agent))?.[0] ?? null;
}

function networkClass(address: string): SessionClient['network'] {
  if (isLoopback(address)) return 'loopback';
  return isIP(address) !== 0 && PRIVATE.test(address) ? 'private' : 'public';
}
