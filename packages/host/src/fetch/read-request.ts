import type { ClientAddress } from '../http/client-address.js';
import { plainAddress } from '../http/client-address.js';
import type { RequestHead } from '../http/message.js';

/** What a standard request says before its body; `address` is the socket's peer, empty where nobody knows it. */
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
  /** Without a slash at the end; empty at the root. */
  readonly basePath: string;
  readonly address: string;
  readonly clientAddress: ClientAddress;
}

/** A path that is not below the base stays whole, and so finds no route. */
function withoutBase(path: string, base: string): string {
  if (base === '' || !(path === base || path.startsWith(`${base}/`))) return path;
  return path.slice(base.length) || '/';
}

/**
 * The peer's address from what a framework hands over beside the request: `{ remoteAddress }` of `nodeListener`, or the
 * bindings of Hono's Node server. Empty where it is neither.
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
