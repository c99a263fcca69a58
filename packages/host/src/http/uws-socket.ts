import type { Logger } from '@culprit/core';
import type { ClientAddress } from './client-address.js';
import type { Socket, SocketRoute } from './message.js';
import { CLOSE_CODES, CLOSING, decide, guarded, MOST_RECEIVED, TOO_SLOW } from './socket-route.js';
import { readHead } from './uws-head.js';
import type { Uws, UwsApp, UwsSocket } from './uws-load.js';
import { writeAnswer } from './uws-wire.js';

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

export interface MountedSocket {
  closeAll(): void;
}

export interface SocketMount {
  readonly route: SocketRoute;
  readonly clientAddress: ClientAddress;
  readonly logger: Logger;
}

/** Mounts a WebSocket route on the native server. */
export function mountSocket(
  uws: Uws,
  app: UwsApp,
  { route, clientAddress, logger }: SocketMount,
): MountedSocket {
  const live = new Set<LiveSocket>();
  route.mounted?.((topic, text) => void app.publish(topic, Buffer.from(text)));
  app.ws<Peer>(route.pattern, {
    compression: uws.DISABLED,
    maxBackpressure: route.maxBackpressure + CLOSE_FRAME_ROOM,
    maxPayloadLength: MOST_RECEIVED,
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
