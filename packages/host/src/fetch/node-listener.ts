import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FetchHandler } from './fetch-handler.js';

/**
 * Adapts a handler to `node:http`, and so to Express (`app.use`) and Fastify (`reply.hijack()`). No middleware may
 * read the body first: signatures cover the bytes as sent.
 */
export function nodeListener(
  handler: FetchHandler,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (incoming, outgoing) => {
    answer(handler, incoming, outgoing).catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : undefined);
    });
  };
}

async function answer(
  handler: FetchHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const request = readRequest(incoming, gone.signal);
  if (request === null) {
    outgoing.writeHead(400, { connection: 'close' }).end();
    return;
  }
  const response = await handler(request, { remoteAddress: incoming.socket.remoteAddress });
  if (outgoing.destroyed) return;
  const headers = Object.fromEntries(response.headers);
  // The body was refused early: do not wait for the rest.
  if (!incoming.complete) headers.connection = 'close';
  outgoing.writeHead(response.status, headers);
  outgoing.end(incoming.method === 'HEAD' ? undefined : Buffer.from(await response.arrayBuffer()));
}

/** `null` if the request line and `Host` are not a valid URL, or a standard request cannot have the method. */
function readRequest(incoming: IncomingMessage, signal: AbortSignal): Request | null {
  const method = incoming.method ?? 'GET';
  // Express removes the mount path from `url` and keeps the full path in `originalUrl`.
  const path = 'originalUrl' in incoming ? String(incoming.originalUrl) : (incoming.url ?? '/');
  const headers = new Headers();
  try {
    for (const [name, value] of Object.entries(incoming.headers)) {
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
    }
    const origin = `http://${incoming.headers.host ?? 'localhost'}`;
    const url = path.startsWith('/') ? new URL(`${origin}${path}`) : new URL(path);
    if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal });
    return new Request(url, { method, headers, signal, body: bodyOf(incoming), duplex: 'half' });
  } catch {
    return null;
  }
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
