import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { headBytes } from '../config/native-limits.js';
import { type ClientAddress, plainAddress } from './client-address.js';
import {
  type BindOptions,
  type Bound,
  cannotListen,
  type HttpDriver,
  type ReadHead,
  type Wire,
} from './driver.js';
import { QUIET_MS } from './early-answer.js';
import type { HttpResponse, SocketRoute } from './message.js';
import { answerRaw, headerLines, isPlain } from './node-answer.js';
import { addHeader, isAmbiguous, noHeaders, RequestInHand, readQuery } from './request-in-hand.js';
import { isBodiless } from './request-policy.js';
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

/** From the headers as sent: `node:http` drops some repeated ones. `peer`: the socket's address in our notation. */
function readNodeHead(incoming: IncomingMessage, peer: string, clientAddress: ClientAddress): ReadHead {
  const { rawHeaders, url = '/', method = 'GET' } = incoming;
  const found = noHeaders();
  for (let at = 0; at < rawHeaders.length; at += 2)
    addHeader(found, (rawHeaders[at] ?? '').toLowerCase(), rawHeaders[at + 1] ?? '');
  const { headers } = found;
  const mark = url.indexOf('?');
  return {
    head: new RequestInHand(
      method,
      mark === -1 ? url : url.slice(0, mark),
      readQuery(mark === -1 ? '' : url.slice(mark + 1)),
      headers,
      clientAddress(peer, headers['x-forwarded-for']),
      Date.now(),
    ),
    ambiguous: isAmbiguous(found),
  };
}

const NOTHING = Buffer.alloc(0);
/** A client that does not take its answer for this long is disconnected, as by the native server. */
const IDLE_MS = 10_000;

/** What a wire tells its connection. */
interface WireOwner {
  /** Accepts no request after the one whose answer says that the connection closes. */
  seal(): void;
  /** The answer is complete: the next request may begin. */
  answered(): void;
  /** The connection closes after the next answer. */
  readonly closing: boolean;
}

/** A request and its response on `node:http`. */
class NodeWire implements Wire {
  private abort: (() => void) | null = null;

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
    private readonly owner: WireOwner,
  ) {}

  onAborted(act: () => void): void {
    this.abort = act;
  }

  /** The connection is gone. */
  gone(): void {
    this.abort?.();
    this.abort = null;
  }

  /** Whether the whole request has been read. */
  get complete(): boolean {
    return this.incoming.complete;
  }

  /** The last piece is known by its length, where that is declared: the end comes a turn later. */
  onData(act: (piece: Buffer, isLast: boolean) => void): void {
    const { incoming } = this;
    const { 'content-length': declared, 'transfer-encoding': coding } = incoming.headers;
    if (coding !== undefined) {
      incoming.on('data', (piece: Buffer) => act(piece, false));
      incoming.on('end', () => act(NOTHING, true));
      return;
    }
    let left = Number(declared ?? 0);
    if (left === 0) act(NOTHING, true);
    else
      incoming.on('data', (piece: Buffer) => {
        left -= piece.length;
        act(piece, left === 0);
      });
  }

  keep(piece: Buffer): Buffer {
    return piece;
  }

  pause(): void {
    this.incoming.pause();
  }

  resume(): void {
    this.incoming.resume();
  }

  /** `node:http` has no time limit between the bytes of a request here. */
  keepAlive(): void {}

  answer(answer: HttpResponse, method: string): void {
    const body = answer.body ?? '';
    const empty = isBodiless(answer);
    const lines = headerLines(answer, empty ? null : Buffer.byteLength(body));
    if (answer.headers?.connection === 'close') this.owner.seal();
    else if (this.owner.closing) lines.push('connection', 'close');
    if (this.writeHead(answer.status, lines)) {
      if (method === 'HEAD' || empty) this.outgoing.end();
      // A head with other characters must not be encoded together with the body.
      else this.outgoing.end(typeof body === 'string' && !isPlain(lines) ? Buffer.from(body) : body);
      this.timeLimit();
    }
    this.done();
  }

  answerBut(answer: HttpResponse, body: Buffer, last: number): void {
    this.owner.seal();
    if (this.writeHead(answer.status, headerLines(answer, body.length)))
      this.outgoing.write(body.subarray(0, last));
  }

  /** The response is complete for the client, but where bytes may follow, the connection stays open and is not read: closing it could lose the response. */
  answerLast(body: Buffer, sealed: boolean): void {
    if (!this.outgoing.destroyed) {
      if (sealed) {
        this.outgoing.write(body.subarray(-1));
        this.incoming.pause();
        setTimeout(() => this.close(), IDLE_MS).unref();
      } else {
        this.outgoing.end(body.subarray(-1));
        this.timeLimit();
      }
    }
    this.done();
  }

  close(): void {
    this.incoming.socket.destroy();
  }

  /** False if the connection is gone. */
  private writeHead(status: number, lines: string[]): boolean {
    if (this.outgoing.destroyed || this.incoming.socket.destroyed) return false;
    this.outgoing.writeHead(status, lines);
    return true;
  }

  /** The default action of a socket's timeout in `node:http` is to close it. */
  private timeLimit(): void {
    const { socket } = this.incoming;
    if (socket.writableLength > 0) socket.setTimeout(IDLE_MS);
  }

  private done(): void {
    this.abort = null;
    this.owner.answered();
  }
}

/** Requests that a client may send before it has the answer to the first. */
const MAX_WAITING = 64;

/** What `node:http` says of bytes that are not a request. */
interface ParseFailure extends Error {
  readonly code?: string;
  readonly bytesParsed?: number;
  readonly rawPacket?: Buffer;
}

/** One client. Its requests are served one after the other, as by the native server. */
class NodeConnection implements WireOwner {
  readonly peer: string;
  private current: NodeWire | null = null;
  private waiting: [IncomingMessage, ServerResponse][] = [];
  private sealed = false;

  constructor(
    private readonly socket: Socket,
    private readonly options: BindOptions,
    private readonly isStopping: () => boolean,
  ) {
    const { remoteAddress = '' } = socket;
    this.peer = plainAddress(remoteAddress) ?? remoteAddress;
  }

  get closing(): boolean {
    return this.sealed || this.isStopping();
  }

  take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.sealed) return;
    if (this.current === null) this.begin(incoming, outgoing);
    else if (this.waiting.length < MAX_WAITING) this.waiting.push([incoming, outgoing]);
    else this.socket.destroy();
  }

  private begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const read = readNodeHead(incoming, this.peer, this.options.clientAddress);
    if (read.ambiguous) this.seal();
    this.current = new NodeWire(incoming, outgoing, this);
    this.options.request(read, this.current);
  }

  seal(): void {
    this.sealed = true;
    this.waiting = [];
  }

  answered(): void {
    this.current = null;
    const next = this.waiting.shift();
    if (next !== undefined) this.begin(...next);
  }

  /** The answer to a request that is complete still goes out; one whose body is unreadable gets the refusal in its place. */
  failed(failure: ParseFailure): void {
    const { code = '' } = failure;
    const isForeign = code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE';
    if (!isForeign || !this.socket.writable) return void this.socket.destroy();
    if (this.sealed) return;
    const { current } = this;
    this.seal();
    if (current?.complete === true) return;
    const [method, path] = requestLine(failure);
    const answer =
      code === 'HPE_HEADER_OVERFLOW' ? { status: 431 } : this.options.malformed(method, path, this.peer);
    answerRaw(this.socket, answer);
    setTimeout(() => this.socket.destroy(), QUIET_MS).unref();
  }

  gone(): void {
    this.seal();
    this.current?.gone();
    this.current = null;
  }
}

/** Of the request that could not be read, as far as it is in the last packet. */
function requestLine({ rawPacket, bytesParsed = 0 }: ParseFailure): [string, string] {
  const text = rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '';
  const [, method = 'GET', target = ''] = [...text.matchAll(/(?:^|\n)([A-Z]+) (\S+) HTTP\/1/g)].at(-1) ?? [];
  return [method, target.split('?', 1)[0] ?? ''];
}
