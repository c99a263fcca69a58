import { STATUS_CODES } from 'node:http';
import type { Logger } from '@culprit/core';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { type ClientAddress, plainAddress } from './client-address.js';
import {
  type BindOptions,
  type Bound,
  cannotListen,
  type HttpDriver,
  type ReadHead,
  type Wire,
} from './driver.js';
import type { HttpResponse, Socket, SocketRoute } from './message.js';
import { addHeader, isAmbiguous, noHeaders, RequestInHand, readQuery } from './request-in-hand.js';
import { headerValue, isBodiless } from './request-policy.js';
import { CLOSE_CODES, CLOSING, decide, guarded, MAX_RECEIVED, TOO_SLOW } from './socket-route.js';
import type { Uws, UwsApp, UwsListenSocket, UwsRequest, UwsResponse, UwsSocket } from './uws-load.js';

/** uWebSockets.js. */
export const uwsDriver = (uws: Uws): HttpDriver => ({ name: 'uws', bind: (options) => bind(uws, options) });

async function bind(uws: Uws, options: BindOptions): Promise<Bound> {
  const { clientAddress, mayConnect, request, logger } = options;
  const app = uws.App();
  const sockets = options.sockets.map((route) => mountSocket(uws, app, { route, clientAddress, logger }));
  const opened = (res: UwsResponse) => {
    if (!mayConnect(peerOf(res))) res.close();
  };
  // Called with 1 when a connection opens, with -1 when it closes.
  app.filter((res, count) => (Number(count) > 0 ? opened(res) : undefined));
  app.any('/*', (res, req) => request(readHead(req, res, clientAddress), new UwsWire(res)));
  const token = await listenOn(app, options.host, options.port);
  return {
    port: uws.us_socket_local_port(token),
    stop() {
      uws.us_listen_socket_close(token);
      for (const mounted of sockets) mounted.closeAll();
    },
    async close() {
      app.close();
    },
  };
}

/** The native code accepts host and options together; the published types only one of them. */
type ListenOnHost = (
  host: string,
  port: number,
  options: number,
  bound: (token: UwsListenSocket | false) => void,
) => void;
/** `LIBUS_LISTEN_EXCLUSIVE_PORT`: without it, a second server silently shares the port. */
const EXCLUSIVE_PORT = 1;

function listenOn(app: UwsApp, host: string, port: number): Promise<UwsListenSocket> {
  return new Promise((resolve, reject) => {
    const listen = app.listen.bind(app) as unknown as ListenOnHost;
    listen(host, port, EXCLUSIVE_PORT, (token) => {
      if (token) return resolve(token);
      app.close();
      reject(cannotListen(host, port));
    });
  });
}

/** Copies the native request, which is invalid after the callback. */
function readHead(req: UwsRequest, res: UwsResponse, clientAddress: ClientAddress): ReadHead {
  const found = noHeaders();
  req.forEach((name, value) => {
    addHeader(found, name, value);
  });
  const { headers } = found;
  return {
    head: new RequestInHand(
      methodOf(req.getCaseSensitiveMethod()),
      req.getUrl(),
      readQuery(req.getQuery()),
      headers,
      clientAddress(peerOf(res), headers['x-forwarded-for']),
      Date.now(),
    ),
    ambiguous: isAmbiguous(found),
  };
}

const methodOf = (text: string) => (text === 'POST' ? text : text.toUpperCase());

/** Caches addresses in the socket's and in our notation. */
const plainAddresses = boundedMap<string, string>(1_000);

function peerOf(res: Pick<UwsResponse, 'getRemoteAddressAsText'>): string {
  const socketAddress = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
  const known = plainAddresses.get(socketAddress);
  if (known !== undefined) return known;
  const plain = plainAddress(socketAddress) ?? socketAddress;
  plainAddresses.set(socketAddress, plain);
  return plain;
}

/** A request and its response on the native server. */
class UwsWire implements Wire {
  constructor(private readonly res: UwsResponse) {}

  onAborted(act: () => void): void {
    this.res.onAborted(act);
  }

  onData(act: (piece: Buffer, isLast: boolean) => void): void {
    this.res.onData((chunk, isLast) => act(Buffer.from(chunk), isLast));
  }

  /** The native server reuses the memory. */
  keep(piece: Buffer): Buffer {
    return Buffer.from(piece);
  }

  pause(): void {
    this.res.pause();
  }

  resume(): void {
    this.res.resume();
  }

  /** The native idle timeout is 8 to 12 s. A paused request has none. */
  keepAlive(): void {
    this.res.pause();
    this.res.resume();
  }

  answer(answer: HttpResponse, method: string): void {
    this.res.cork(() => writeAnswer(this.res, answer, method));
  }

  answerBut(answer: HttpResponse, body: Buffer, last: number): void {
    this.res.cork(() => {
      writeHead(this.res, answer);
      this.res.tryEnd(body.subarray(0, last), body.length);
    });
  }

  /**
   * The native server closes a connection on which another request begins before the response is complete, and a paused
   * one is not read again.
   */
  answerLast(body: Buffer, sealed: boolean): void {
    this.res.cork(() => {
      if (sealed) this.res.pause();
      this.res.tryEnd(body.subarray(-1), body.length);
    });
  }

  close(): void {
    this.res.close();
  }
}

/**
 * Writes a whole response. Call only inside `cork`, once, and never after an abort. The length of a HEAD response is
 * written as a plain header: if `endWithoutBody` gets it, uWebSockets.js waits for the body and closes the connection
 * at the next request.
 */
function writeAnswer(res: UwsResponse, answer: HttpResponse, method: string): void {
  writeHead(res, answer);
  const body = answer.body ?? '';
  const empty = isBodiless(answer);
  if (method === 'HEAD' && !empty) res.writeHeader('content-length', String(Buffer.byteLength(body)));
  if (method === 'HEAD' || empty) res.endWithoutBody();
  else res.end(typeof body === 'string' ? Buffer.from(body) : body);
}

const ASCII = /^[\0-\x7f]*$/;
const PLAIN = /^[ -~]*$/;

/**
 * Only ASCII may go to the native server as a string. Its binary for Node 24 sends Latin-1 characters as Latin-1
 * instead of UTF-8: https://github.com/uNetworking/uWebSockets.js/issues/1280.
 */
function headerText(text: string): string | Buffer {
  if (PLAIN.test(text)) return text;
  const value = headerValue(text);
  return ASCII.test(value) ? value : Buffer.from(value);
}

const LINES = new Map(Object.entries(STATUS_CODES).map(([code, text]) => [Number(code), `${code} ${text}`]));
const statusLine = (status: number) => LINES.get(status) ?? `${status} Status`;

function writeHead(res: UwsResponse, answer: HttpResponse): void {
  res.writeStatus(statusLine(answer.status));
  const { headers } = answer;
  for (const name in headers) {
    res.writeHeader(name, headerText(headers[name] ?? ''));
  }
  for (const cookie of answer.cookies ?? []) res.writeHeader('set-cookie', headerText(cookie));
}

/** The native limit also drops close frames, so our limit is lower. */
const CLOSE_FRAME_ROOM = 1_024;

/** How long a reader has to receive the close frame. */
const CUT_MS = 15_000;

const SENT = 1;
const DROPPED = 2;

interface Peer {
  readonly remoteAddress: string;
  readonly accepted: unknown;
  socket: LiveSocket | null;
}
interface LiveSocket extends Socket {
  /** Closes the connection without a close frame. */
  cut(): void;
  gone(): void;
}

interface MountedSocket {
  closeAll(): void;
}

interface SocketMount {
  readonly route: SocketRoute;
  readonly clientAddress: ClientAddress;
  readonly logger: Logger;
}

/** Mounts a WebSocket route on the native server. */
function mountSocket(uws: Uws, app: UwsApp, { route, clientAddress, logger }: SocketMount): MountedSocket {
  const live = new Set<LiveSocket>();
  route.mounted?.((topic, text) => void app.publish(topic, Buffer.from(text)));
  app.ws<Peer>(route.pattern, {
    compression: uws.DISABLED,
    maxBackpressure: route.maxBackpressure + CLOSE_FRAME_ROOM,
    maxPayloadLength: MAX_RECEIVED,
    idleTimeout: 60,
    async upgrade(res, req, context) {
      const { head } = readHead(req, res, clientAddress);
      const key = req.getHeader('sec-websocket-key');
      const protocol = req.getHeader('sec-websocket-protocol');
      const extensions = req.getHeader('sec-websocket-extensions');
      let gone = false;
      res.onAborted(() => {
        gone = true;
      });
      const decision = await decide(route, head, logger);
      if (gone) return;
      res.cork(() => {
        if ('refuse' in decision) return writeAnswer(res, decision.refuse, head.method);
        const peer: Peer = { remoteAddress: head.remoteAddress, accepted: decision.accept, socket: null };
        res.upgrade(peer, key, protocol, extensions, context);
      });
    },
    open(ws) {
      const peer = ws.getUserData();
      const socket = liveSocket(ws, peer.remoteAddress, route.maxBackpressure);
      peer.socket = socket;
      live.add(socket);
      guarded(logger, () => route.open(socket, peer.accepted));
    },
    message(ws, message, isBinary) {
      const { socket } = ws.getUserData();
      if (socket === null || isBinary || route.message === undefined) return;
      const text = Buffer.from(message).toString();
      guarded(logger, () => route.message?.(socket, text));
    },
    // Publishing does not check each socket. The hub's own check must be faster than this limit.
    dropped(ws) {
      ws.getUserData().socket?.cut();
    },
    close(ws) {
      const { socket } = ws.getUserData();
      if (socket === null) return;
      socket.gone();
      live.delete(socket);
      guarded(logger, () => route.closed(socket));
    },
  });
  return {
    closeAll() {
      for (const socket of [...live]) socket.close(CLOSE_CODES.going_away, CLOSING);
    },
  };
}

/** Safe to use after the connection is closed: nothing is sent then. */
function liveSocket(ws: UwsSocket<Peer>, remoteAddress: string, maxBackpressure: number): LiveSocket {
  let open = true;
  let ended = false;
  const cut = () => {
    if (!ended) ws.close();
  };
  const close = (code: number, reason: string) => {
    if (!open) return;
    open = false;
    ws.end(code, reason);
    // A client that does not read does not read the close frame either.
    if (!ended) setTimeout(cut, CUT_MS).unref();
  };
  return {
    remoteAddress,
    send(text) {
      if (!open) return 'dropped';
      // As bytes: see `headerText`.
      const message = Buffer.from(text);
      if (ws.getBufferedAmount() + message.length <= maxBackpressure || ws.getBufferedAmount() === 0) {
        const status = ws.send(message);
        if (status !== DROPPED) return status === SENT ? 'sent' : 'queued';
      }
      close(CLOSE_CODES.too_slow, TOO_SLOW);
      return 'dropped';
    },
    together(send) {
      if (open) ws.cork(send);
    },
    subscribe(topic) {
      if (open) ws.subscribe(topic);
    },
    waiting: () => (open ? ws.getBufferedAmount() : 0),
    close,
    cut() {
      if (!open) return;
      open = false;
      // Not from within the native callback.
      setImmediate(cut);
    },
    gone() {
      open = false;
      ended = true;
    },
  };
}
