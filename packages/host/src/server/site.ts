import { CulpritError } from '@culprit/core';
import type { HttpRequest } from '../http/message.js';

/** The URLs and host names of core. Known once it listens. */
export interface Site {
  /** Without a trailing slash. */
  readonly url: string;
  /** The path of `url`: empty, or `/culprit`. */
  readonly path: string;
  /** The only origin that may use a session cookie. */
  readonly origin: string;
  readonly secure: boolean;
  /** Allowed values of the Host header, in lower case; a name without a port allows every port. */
  readonly hosts: ReadonlySet<string>;
  readonly settings: SiteSettings;
}

/** What errors call the settings. */
export interface SiteSettings {
  readonly publicUrl: string;
  readonly allowedHosts: string;
}

export interface SiteOptions {
  readonly publicUrl: string;
  readonly port: number;
  /** With or without a port. Without one, every port is allowed. */
  readonly allowedHosts: readonly string[];
  /** Default: the environment variables of the host. */
  readonly settings?: SiteSettings;
}

const HOST_SETTINGS: SiteSettings = { publicUrl: 'PUBLIC_URL', allowedHosts: 'ALLOWED_HOSTS' };

export function createSite({ publicUrl, port, allowedHosts, settings = HOST_SETTINGS }: SiteOptions): Site {
  const url = new URL(publicUrl);
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
  hosts.add(url.host);
  for (const host of allowedHosts) hosts.add(host.toLowerCase());
  return {
    url: publicUrl.replace(/\/+$/, ''),
    path: url.pathname.replace(/\/+$/, ''),
    origin: url.origin,
    secure: url.protocol === 'https:',
    hosts,
    settings,
  };
}

/** Rejects unknown host names, as a protection against DNS rebinding. */
export function checkHost(site: Site, { headers }: Pick<HttpRequest, 'headers'>): void {
  const host = headers.host?.toLowerCase() ?? '';
  if (site.hosts.has(host) || site.hosts.has(host.replace(/:\d+$/, ''))) return;
  throw new CulpritError(
    'host_refused',
    `This host name is not allowed. Use ${site.settings.publicUrl}, or add the name to ${site.settings.allowedHosts}.`,
  );
}

/** Rejects requests of other origins, including other ports. `what` begins the error. */
export function checkOrigin(
  site: Site,
  { headers }: Pick<HttpRequest, 'headers'>,
  what = 'Requests with a session cookie',
): void {
  if (headers.origin === site.origin) return;
  const cure = headers.origin === undefined ? `Send "Origin: ${site.origin}", or a Bearer token` : null;
  throw new CulpritError(
    'origin_refused',
    `${what} must come from ${site.origin}. ${cure ?? `Check ${site.settings.publicUrl}`}.`,
  );
}

/**
 * For requests without a credential that change what a browser is signed in as. A program sends none of these headers; a page of
 * another site cannot send JSON without asking first, which core refuses. @throws `origin_refused`; `malformed` without JSON.
 */
export function checkSameSite(site: Site, request: Pick<HttpRequest, 'headers'>): void {
  const { origin, 'sec-fetch-site': from = 'none', 'content-type': type = '' } = request.headers;
  if (origin !== undefined || !['same-origin', 'none'].includes(from))
    checkOrigin(site, request, 'Requests that sign in');
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new CulpritError('malformed', 'Send "Content-Type: application/json".');
}
