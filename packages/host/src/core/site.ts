import { CulpritError } from '@culprit/core';
import type { HttpRequest } from '../http/message.js';

/** How core is reached. Known once it listens. */
export interface Site {
  /** Without a slash at the end. */
  readonly url: string;
  /** The only origin that may act with a session cookie. */
  readonly origin: string;
  readonly secure: boolean;
  /** Lower-case values of the Host header that are answered. */
  readonly hosts: ReadonlySet<string>;
}

export interface SiteOptions {
  readonly publicUrl: string;
  readonly port: number;
  /** With or without a port; without one, core's own and the scheme's default port are meant. */
  readonly allowedHosts: readonly string[];
}

export function createSite({ publicUrl, port, allowedHosts }: SiteOptions): Site {
  const url = new URL(publicUrl);
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
  hosts.add(url.host);
  for (const host of allowedHosts.map((name) => name.toLowerCase())) {
    hosts.add(host);
    if (!/:\d+$/.test(host)) hosts.add(`${host}:${port}`);
  }
  return {
    url: publicUrl.replace(/\/+$/, ''),
    origin: url.origin,
    secure: url.protocol === 'https:',
    hosts,
  };
}

/** Refuses names that core is not reached by: a page on a rebound name must not get an answer. */
export function checkHost(site: Site, { headers }: Pick<HttpRequest, 'headers'>): void {
  const host = headers.host?.toLowerCase();
  if (host !== undefined && site.hosts.has(host)) return;
  throw new CulpritError(
    'host_refused',
    'This name is not on the allow-list. Use PUBLIC_URL, or add the name to ALLOWED_HOSTS.',
  );
}

/** The exact origin, port included. */
export function checkOrigin(site: Site, { headers }: Pick<HttpRequest, 'headers'>): void {
  if (headers.origin === site.origin) return;
  throw new CulpritError(
    'origin_refused',
    `With a session cookie the request must come from ${site.origin}; check PUBLIC_URL.`,
  );
}
