import type { ClientAddress } from '../http/client-address.js';
import { plainAddress } from '../http/client-address.js';
import type { RequestHead } from '../http/message.js';

/** The head of a standard request. `address` is the socket's peer, empty if unknown. */
export function readRequestHead(
  request: Request,
  { basePath, address, clientAddress }: RequestSurroundings,
): RequestHead {
  const url = new URL(request.url);
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of request.headers) headers[name] = value;
  headers.host ??= url.host;
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of url.searchParams) query[name] = value;
  return {
    method: request.method.toUpperCase(),
    path: withoutBase(url.pathname, basePath),
    params: {},
    query,
    headers,
    remoteAddress: clientAddress(plainAddress(address) ?? address, headers['x-forwarded-for']),
    receivedAt: Date.now(),
  };
}

export interface RequestSurroundings {
  /** Without a trailing slash; empty at the root. */
  readonly basePath: string;
  readonly address: string;
  readonly clientAddress: ClientAddress;
}

/** A path outside of the base is not changed: some frameworks remove the path of a mount. */
export function withoutBase(path: string, base: string): string {
  if (base === '' || !(path === base || path.startsWith(`${base}/`))) return path;
  return path.slice(base.length) || '/';
}

/**
 * The peer's address from the framework's context: `{ remoteAddress }` of `nodeListener`, or the bindings of Hono's
 * Node server. Otherwise empty.
 */
export function addressOf(context: unknown): string {
  const direct = member(context, 'remoteAddress');
  if (typeof direct === 'string') return direct;
  const peer = member(member(member(context, 'incoming'), 'socket'), 'remoteAddress');
  return typeof peer === 'string' ? peer : '';
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
