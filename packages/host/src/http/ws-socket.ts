import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { CulpritError, type Logger } from '@culprit/core';
import type { WebSocket, WebSocketServer } from 'ws';
import type { RequestHead, Socket, SocketRoute } from './message.js';
import { answerRaw } from './node-answer.js';
import { CLOSE_CODES, CLOSING, decide, guarded, MAX_RECEIVED, TOO_SLOW } from './socket-route.js';

/** A WebSocket route on the `upgrade` events of `node:http`. */
export interface WsSockets {
  upgrade(head: RequestHead, incoming: IncomingMessage, socket: Duplex, rest: Buffer): Promise<void>;
  closeAll(): void;
}

interface Reader {
  readonly native: WebSocket;
  readonly topics: Set<string>;
  readonly socket: Socket;
  /** It has responded since the last ping. */
  alive: boolean;
}

/** A reader that does not respond for this long is disconnected. */
const PING_MS = 30_000;

/** The package `ws` is loaded for the first socket, because not every runtime of a handler has `node:http`. */
export function wsSockets(route: SocketRoute, logger: Logger): WsSockets {
  const readers = new Set<Reader>();
  let server: WebSocketServer | null = null;
  let closed = false;
  const pings = setInterval(() => {
    for (const reader of [...readers]) {
      if (!reader.alive) reader.native.terminate();
      reader.alive = false;
      reader.native.ping();
    }
  }, PING_MS);
  pings.unref();
  route.mounted?.((topic, text) => {
    for (const { topics, socket } of [...readers]) if (topics.has(topic)) socket.send(text);
  });

  const open = (native: WebSocket, wire: Duplex, remoteAddress: string, accepted: unknown) => {
    const topics = new Set<string>();
    const socket = wsSocket(native, { wire, remoteAddress, topics, most: route.maxBackpressure });
    const reader: Reader = { native, topics, socket, alive: true };
    readers.add(reader);
    native.on('pong', () => {
      reader.alive = true;
    });
    native.on('error', () => native.terminate());
    native.on('message', (data, isBinary) => {
      if (!isBinary) guarded(logger, () => route.message?.(socket, String(data)));
    });
    native.on('close', () => {
      readers.delete(reader);
      guarded(logger, () => route.closed(socket));
    });
    guarded(logger, () => route.open(socket, accepted));
  };

  return {
    async upgrade(head, incoming, socket, rest) {
      const gone = () => socket.destroy();
      socket.on('error', gone);
      server ??= await loadServer();
      const decision = await decide(route, head, logger);
      if (socket.destroyed) return;
      if (closed || 'refuse' in decision) {
        return answerRaw(socket, 'refuse' in decision ? decision.refuse : { status: 503 });
      }
      socket.off('error', gone);
      server.handleUpgrade(incoming, socket, rest, (native) =>
        open(native, socket, head.remoteAddress, decision.accept),
      );
    },
    closeAll() {
      closed = true;
      clearInterval(pings);
      for (const { socket } of [...readers]) socket.close(CLOSE_CODES.going_away, CLOSING);
    },
  };
}

async function loadServer(): Promise<WebSocketServer> {
  try {
    const { WebSocketServer } = await import('ws');
    return new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_RECEIVED });
  } catch (cause) {
    throw new CulpritError('connector_missing', 'The live feed needs ws: npm install ws', { cause });
  }
}

interface Limits {
  readonly wire: Duplex;
  readonly remoteAddress: string;
  readonly topics: Set<string>;
  /** Bytes buffered for the reader before it is closed. */
  readonly most: number;
}

function wsSocket(native: WebSocket, { wire, remoteAddress, topics, most }: Limits): Socket {
  const isOpen = () => native.readyState === native.OPEN;
  return {
    remoteAddress,
    send(text) {
      if (!isOpen()) return 'dropped';
      if (native.bufferedAmount + Buffer.byteLength(text) > most && native.bufferedAmount > 0) {
        native.close(CLOSE_CODES.too_slow, TOO_SLOW);
        // Without waiting for the answer of a reader that is too slow to give one.
        wire.end();
        return 'dropped';
      }
      native.send(text);
      return native.bufferedAmount === 0 ? 'sent' : 'queued';
    },
    together(send) {
      wire.cork();
      try {
        send();
      } finally {
        wire.uncork();
      }
    },
    subscribe: (topic) => void topics.add(topic),
    waiting: () => native.bufferedAmount,
    close: (code, reason) => {
      if (isOpen()) native.close(code, reason);
    },
  };
}
