import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CulpritError } from '@culprit/core';
import { problemResponse } from '../http/problem-response.js';
import { responseOf } from './exchange.js';
import type { FetchHandler } from './fetch-handler.js';
import { partsOf } from './handler-parts.js';

/** A handler for `node:http`, and for frameworks on top of it. */
export interface NodeListener {
  /** With `next`, as in Express: called for every path that is not Culprit's. Below `/api/` of Culprit's own path all are. */
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
  /** The live feed: `server.on('upgrade', listener.upgrade)`. Leaves other WebSockets to their own listeners. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/**
 * Adapts a handler to `node:http`, and so to Express (`app.use`), Nest, Koa and Fastify (`reply.hijack()`). Signatures
 * cover the bytes as sent: if a middleware has read the body, it must keep them as `request.rawBody`.
 */
export function nodeListener(handler: FetchHandler): NodeListener {
  const parts = partsOf(handler);
  const listener: (...args: Parameters<NodeListener>) => void = (incoming, outgoing, next) => {
    const serves = parts?.serves(incoming.method ?? 'GET', pathOf(incoming)) ?? true;
    if (next !== undefined && !serves) return next();
    answer(handler, incoming, outgoing).catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : undefined);
    });
  };
  const upgrade: NodeListener['upgrade'] = (incoming, socket, head) => {
    if (parts === undefined || pathOf(incoming) !== parts.livePath) return leave(incoming, socket);
    const request = readRequest(incoming, null, new AbortController().signal);
    if (request === null) return void socket.destroy();
    parts.upgrade(request, incoming, socket, head).catch(() => socket.destroy());
  };
  return Object.assign(listener, { upgrade });
}

/** Nobody else listens for this WebSocket, so it would stay open unanswered. */
function leave(incoming: IncomingMessage, socket: Duplex): void {
  const { server } = incoming.socket as { readonly server?: Server };
  if ((server?.listenerCount('upgrade') ?? 1) <= 1) socket.destroy();
}

async function answer(
  handler: FetchHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const bytes = receivedBytes(incoming);
  if (bytes instanceof CulpritError) return send(outgoing, responseOf(problemResponse(bytes)), incoming);
  const request = readRequest(incoming, bytes, gone.signal);
  if (request === null) {
    outgoing.writeHead(400, { connection: 'close' }).end();
    return;
  }
  return send(outgoing, await handler(request, { remoteAddress: incoming.socket.remoteAddress }), incoming);
}

async function send(outgoing: ServerResponse, response: Response, incoming: IncomingMessage): Promise<void> {
  if (outgoing.destroyed) return;
  const headers: Record<string, string | string[]> = Object.fromEntries(response.headers);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 1) headers['set-cookie'] = cookies;
  // The body was refused early: do not wait for the rest.
  if (!incoming.complete) headers.connection = 'close';
  outgoing.writeHead(response.status, headers);
  outgoing.end(incoming.method === 'HEAD' ? undefined : Buffer.from(await response.arrayBuffer()));
}

/**
 * `null` if the request line and `Host` are not a valid URL, or a standard request cannot have the method. `bytes` is the
 * body if it has been read already.
 */
function readRequest(
  incoming: IncomingMessage,
  bytes: Uint8Array | null,
  signal: AbortSignal,
): Request | null {
  const method = incoming.method ?? 'GET';
  const path = targetOf(incoming);
  const headers = new Headers();
  try {
    for (const [name, value] of Object.entries(incoming.headers)) {
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
    }
    const origin = `http://${incoming.headers.host ?? 'localhost'}`;
    const url = path.startsWith('/') ? new URL(`${origin}${path}`) : new URL(path);
    if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal });
    if (bytes === null)
      return new Request(url, { method, headers, signal, body: bodyOf(incoming), duplex: 'half' });
    headers.delete('content-length');
    if (!isStillEncoded(bytes)) headers.delete('content-encoding');
    return new Request(url, { method, headers, signal, body: new Uint8Array(bytes) });
  } catch {
    return null;
  }
}

/** The request line's path and query. Express and Connect remove the mount path from `url`, and keep it in `originalUrl`. */
function targetOf(incoming: IncomingMessage): string {
  return 'originalUrl' in incoming ? String(incoming.originalUrl) : (incoming.url ?? '/');
}

function pathOf(incoming: IncomingMessage): string {
  const target = targetOf(incoming);
  return (URL.canParse(target) ? new URL(target).pathname : target.split('?', 1)[0]) ?? '/';
}

/** Cancelling it discards the rest. Node's own conversion would close the connection before the response is sent. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (chunk: Buffer) => {
        controller.enqueue(new Uint8Array(chunk));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.once('end', () => controller.close());
      incoming.once('error', (error) => controller.error(error));
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      incoming.removeAllListeners('data').removeAllListeners('end').resume();
    },
  });
}

const MEND =
  'Mount Culprit before the parser, or keep the bytes: express.json({ verify: (request, _response, bytes) => { request.rawBody = bytes; } }).';

/**
 * The bytes that a middleware kept in `rawBody`, or in `body` as a Buffer; `null`: the body has not been read. An error if it
 * was read and is lost: signatures cover the bytes, and waiting for them would never end.
 */
function receivedBytes(incoming: IncomingMessage): Uint8Array | null | CulpritError {
  const { rawBody, body } = incoming as { readonly rawBody?: unknown; readonly body?: unknown };
  if (rawBody instanceof Uint8Array) return rawBody;
  if (typeof rawBody === 'string') return Buffer.from(rawBody);
  if (body instanceof Uint8Array) return body;
  if (!incoming.readableDidRead || !hasBody(incoming)) return null;
  return new CulpritError('configuration', `A body parser of this server has read the body. ${MEND}`);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

/** Parsers decompress what they keep, but leave the header. */
function isStillEncoded(bytes: Uint8Array): boolean {
  return [GZIP, ZSTD].some((magic) => magic.every((byte, at) => bytes[at] === byte));
}
