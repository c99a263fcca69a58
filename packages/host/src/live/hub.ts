import type { Engine, FeedCursor, FeedEntry, Logger, RunState } from '@culprit/core';
import type { GuardBook } from '../core/guard-book.js';
import type { Socket } from '../http/message.js';
import { LIVE_CLOSE, LIVE_VERSION, type LiveMessage } from './messages.js';

/** Entries read at once when a reader resumes or a number is missing. */
const CHUNK = 500;
const SNAPSHOT_RUNS = 200;
const OPEN_STATES: readonly RunState[] = ['staged_raw', 'analyzing', 'staged_draft', 'publishing'];

export interface Reader {
  readonly since: FeedCursor | null;
  /** `since` was given and cannot be read: the snapshot says `reset`. */
  readonly unreadable: boolean;
  /** Key of the session that opened it; `null` with a bearer. */
  readonly session: string | null;
  /** Milliseconds since 1970; `null`: no end. */
  readonly expiresAt: number | null;
}

export interface Hub {
  open(socket: Socket, reader: Reader): void;
  closed(socket: Socket): void;
  /** Closes the feeds of a session. */
  end(session: string): void;
  readonly size: number;
  close(): void;
}

interface Connection {
  readonly socket: Socket;
  readonly reader: Reader;
  /** The last number sent; `null` until the first message. */
  last: number | null;
  /** Work is done one piece after another. */
  queue: Promise<void>;
}

export interface HubParts {
  readonly engine: Engine;
  readonly guards: GuardBook;
  readonly now: () => number;
  readonly logger: Logger;
}

/** Sends every change of every run to every reader, in the order and with the numbers of the store. */
export function createHub({ engine, guards, now, logger }: HubParts): Hub {
  const connections = new Map<Socket, Connection>();
  const drop = (connection: Connection, code: number, reason: string) => {
    if (connections.delete(connection.socket)) connection.socket.close(code, reason);
  };
  const send = (connection: Connection, message: LiveMessage): boolean => {
    if (!connections.has(connection.socket)) return false;
    const { expiresAt } = connection.reader;
    if (expiresAt !== null && expiresAt <= now()) {
      drop(connection, LIVE_CLOSE.signed_out, 'the session has ended');
      return false;
    }
    if (connection.socket.send(JSON.stringify(message)) !== 'dropped') return true;
    drop(connection, LIVE_CLOSE.slow_reader, 'too slow: reconnect with since');
    return false;
  };
  const sendEntry = (connection: Connection, { sequence, run }: FeedEntry) => {
    if (connection.last !== null && sequence <= connection.last) return;
    if (send(connection, { type: 'run', sequence, run })) connection.last = sequence;
  };
  const snapshot = async (connection: Connection, reset: boolean) => {
    const head = await engine.feed.head();
    const { runs, next } = await engine.runs({ states: OPEN_STATES, limit: SNAPSHOT_RUNS });
    connection.last = head.sequence;
    const { epoch, sequence } = head;
    const message: LiveMessage = {
      type: 'snapshot',
      version: LIVE_VERSION,
      epoch,
      sequence,
      runs,
      more: next !== null,
      guard: guards.all(),
      reset,
    };
    send(connection, message);
  };
  /** True: everything after the cursor was sent. */
  const resume = async (connection: Connection, cursor: FeedCursor): Promise<boolean> => {
    const head = await engine.feed.head();
    if (cursor.epoch !== head.epoch || cursor.sequence > head.sequence) return false;
    connection.last = cursor.sequence;
    for (;;) {
      const entries = await engine.feed.since({ epoch: head.epoch, sequence: connection.last }, CHUNK);
      if (entries === null) return false;
      for (const entry of entries) sendEntry(connection, entry);
      if (entries.length < CHUNK || !connections.has(connection.socket)) return true;
    }
  };
  const enqueue = (connection: Connection, work: () => Promise<void> | void) => {
    connection.queue = connection.queue.then(work).catch((error: unknown) => {
      logger.warn({ err: error }, 'a live feed could not be served');
      drop(connection, LIVE_CLOSE.storage, 'the storage does not answer: reconnect');
    });
  };
  const deliver = async (connection: Connection, entry: FeedEntry) => {
    if (connection.last !== null && entry.sequence > connection.last + 1) {
      const { epoch } = await engine.feed.head();
      if (!(await resume(connection, { epoch, sequence: connection.last }))) await snapshot(connection, true);
    }
    sendEntry(connection, entry);
  };
  /** Numbering began anew: readers come back with a number of the former epoch and get a snapshot. */
  const dropAll = () => {
    for (const connection of [...connections.values()]) {
      drop(connection, LIVE_CLOSE.storage, 'the storage began anew: reconnect');
    }
  };
  const stopEntries = engine.feed.watch((entry) => {
    for (const connection of connections.values()) enqueue(connection, () => deliver(connection, entry));
  }, dropAll);
  const stopGuards = guards.watch((guard) => {
    for (const connection of connections.values()) {
      enqueue(connection, () => void send(connection, { type: 'guard', guard }));
    }
  });

  return {
    open(socket, reader) {
      const connection: Connection = { socket, reader, last: null, queue: Promise.resolve() };
      connections.set(socket, connection);
      enqueue(connection, async () => {
        const { since, unreadable } = reader;
        if (since !== null && (await resume(connection, since))) {
          send(connection, { type: 'guard', guard: guards.all() });
        } else {
          await snapshot(connection, since !== null || unreadable);
        }
      });
    },
    closed: (socket) => void connections.delete(socket),
    end(session) {
      for (const connection of [...connections.values()]) {
        if (connection.reader.session === session) drop(connection, LIVE_CLOSE.signed_out, 'signed out');
      }
    },
    get size() {
      return connections.size;
    },
    close() {
      stopEntries();
      stopGuards();
    },
  };
}
