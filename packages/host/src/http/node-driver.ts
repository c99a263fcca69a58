import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { headBytes } from '../config/edge-limits.js';
import { type BindOptions, type Bound, cannotListen, type HttpDriver } from './driver.js';
import type { SocketRoute } from './message.js';
import { NodeConnection } from './node-connection.js';
import { readNodeHead } from './node-head.js';
import { IDLE_MS } from './node-wire.js';
import { wsSockets } from './ws-socket.js';

/** `node:http` and the package `ws`, for systems without uWebSockets.js. */
export const nodeDriver: HttpDriver = { name: 'node', bind };

/** How long answers have to leave when the server closes. */
const FLUSH_MS = 1_000;

/** The native server's. */
const BACKLOG = 512;

async function bind(options: BindOptions): Promise<Bound> {
  const { host, port, mayConnect } = options;
  let stopping = false;
  const connections = new Map<Duplex, NodeConnection>();
  const server = createServer({
    maxHeaderSize: headBytes(),
    headersTimeout: IDLE_MS,
    keepAliveTimeout: IDLE_MS,
    requestTimeout: 0,
    connectionsCheckingInterval: 1_000,
    // What a paused request may leave in memory beyond what is counted.
    highWaterMark: 16_384,
    ...upgradesOnly(options.sockets),
  });
  server.on('connection', (socket: Socket) => {
    const connection = new NodeConnection(socket, options, () => stopping);
    if (!mayConnect(connection.peer)) return void socket.destroy();
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      connection.gone();
    });
  });
  server.on('request', (incoming, outgoing) => connections.get(incoming.socket)?.take(incoming, outgoing));
  server.on('clientError', (error, socket) => {
    const connection = connections.get(socket);
    if (connection === undefined) socket.destroy();
    else connection.failed(error);
  });
  const closeSockets = mountSockets(server, options, connections);
  await listenOn(server, host, port);
  server.on('error', (error) => options.logger.warn({ err: error }, 'a connection could not be accepted'));
  const closed = new Promise((resolve) => server.once('close', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      stopping = true;
      server.close();
      closeSockets();
    },
    async close() {
      for (const socket of connections.keys()) (socket as Socket).destroySoon();
      await Promise.race([closed, delay(FLUSH_MS, undefined, { ref: false })]);
      for (const socket of connections.keys()) socket.destroy();
      await closed;
    },
  };
}

/** Serves WebSockets; returns how to end them. Without a route, `node:http` ignores the wish to change the protocol. */
function mountSockets(
  server: Server,
  { sockets, clientAddress, logger }: BindOptions,
  connections: ReadonlyMap<Duplex, NodeConnection>,
): () => void {
  if (sockets.length === 0) return () => {};
  const mounted = sockets.map((route) => ({ route, served: wsSockets(route, logger) }));
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, rest: Buffer) => {
    const peer = connections.get(socket)?.peer ?? '';
    const { head, ambiguous } = readNodeHead(incoming, peer, clientAddress);
    const found = mounted.find(({ route }) => isFor(route, incoming));
    if (found === undefined) return serveAnyway(server, incoming, socket, rest);
    if (ambiguous) return void socket.destroy();
    found.served.upgrade(head, incoming, socket, rest).catch(() => socket.destroy());
  });
  return () => {
    for (const { served } of mounted) served.closeAll();
  };
}

function isFor({ pattern }: SocketRoute, { method, url = '', headers }: IncomingMessage): boolean {
  return method === 'GET' && url.split('?', 1)[0] === pattern && /^websocket$/i.test(headers.upgrade ?? '');
}

/** Since Node 24.9 the server can be asked which requests may change the protocol. `@types/node` is that of Node 20. */
function upgradesOnly(sockets: readonly SocketRoute[]): object {
  return {
    shouldUpgradeCallback: (incoming: IncomingMessage) => sockets.some((route) => isFor(route, incoming)),
  };
}

/** On earlier versions: a request that may be served without the other protocol, such as HTTP/2, as if it had not asked for that. */
function serveAnyway(server: Server, incoming: IncomingMessage, socket: Socket, rest: Buffer): void {
  const { method, url, rawHeaders } = incoming;
  let head = `${method} ${url} HTTP/1.1\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!/^(?:upgrade|connection|http2-settings)$/i.test(name)) head += `${name}: ${rawHeaders[at + 1]}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), rest]));
  server.emit('connection', socket);
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (error: Error) => reject(cannotListen(host, port, error));
    server.once('error', refused);
    server.listen({ host, port, exclusive: true, backlog: BACKLOG }, () => {
      server.removeListener('error', refused);
      resolve();
    });
  });
}
