import { setImmediate as nextTurn } from 'node:timers/promises';
import { BEAT_MS, LIVE_CLOSE, type LiveMessage } from '@culprit/client/live';
import type { Engine, Logger } from '@culprit/core';
import type { FeedCursor, FeedEntry } from '@culprit/core/internal/ports/status-feed';
import type { AnalysisProgress } from '@culprit/core/internal/runs/progress';
import type { Publish, Socket } from '../../http/message.js';
import type { GuardSnapshots } from '../guard-snapshots.js';
import { concerns, createAudience } from './audience.js';
import { CHUNK, createSharedReads, type SharedReads } from './shared-reads.js';
import type { Filter } from './topics.js';

/** Readers that catch up at the same time. The others wait, so that mass reconnects do not stall the gates. */
const CATCHING_UP = 8;
/** The native topics of guard figures, which readers with a limit do not get, and of beats. No filter has these keys. */
const GUARDS = 'guards';
const BEATS = 'beats';
const BEAT = JSON.stringify({ type: 'beat' } satisfies LiveMessage);
/** Characters published between two searches for slow readers. */
const SWEEP_CHARS = 256 * 1024;

export interface Reader {
  readonly since: FeedCursor | null;
  /** `since` is invalid, so the snapshot is a `reset`. */
  readonly unreadable: boolean;
  readonly filter: Filter;
  /** Key of the session or API token that opened it; `null` with a reviewer's token. */
  readonly session: string | null;
  /** Milliseconds since 1970; `null` for no expiry. */
  readonly expiresAt: number | null;
  /** When its session has to be confirmed by the provider, which reconnecting does; `null`: never. */
  readonly confirmAt: number | null;
}

interface Connection {
  readonly socket: Socket;
  readonly reader: Reader;
  /** The last sequence number sent to it individually; `null` until it has caught up. Not updated while subscribed. */
  last: number | null;
  subscribed: boolean;
}

export interface HubParts {
  readonly engine: Engine;
  readonly guards: GuardSnapshots;
  readonly publish: Publish;
  readonly now: () => number;
  readonly logger: Logger;
}

/**
 * Sends every change to the readers whose filter it matches, in the order and with the sequence numbers of the store. Readers
 * catch up individually; after that the native server publishes each change once per filter.
 */
export class Hub {
  private readonly connections = new Map<Socket, Connection>();
  /** Readers ahead of the published sequence: they receive entries individually until it catches up. */
  private readonly joining = new Set<Connection>();
  private readonly audience = createAudience();
  /** The last sequence number published to topics. */
  private published = 0;
  private epoch = '';
  private queue: Promise<void>;
  private waiting: Connection[] = [];
  private catching = 0;
  private unswept = 0;
  private readonly reads: SharedReads;
  private readonly batcher: Batcher<FeedEntry>;
  private readonly stops: (() => void)[];

  constructor(private readonly parts: HubParts) {
    const { engine, guards } = parts;
    this.reads = createSharedReads(engine, guards);
    this.batcher = createBatcher(
      () => this.connections.size,
      (entries) => this.enqueue(entries),
    );
    this.queue = engine.feed.head().then(
      ({ epoch, sequence }) => {
        this.epoch = epoch;
        this.published = Math.max(this.published, sequence);
      },
      (error: unknown) => this.failed(error),
    );
    const timer = setInterval(() => this.sweep(), SWEEP_MS).unref();
    const beats = setInterval(() => this.publish([BEATS], BEAT), BEAT_MS).unref();
    this.stops = [
      engine.feed.watch(
        (entry) => this.batcher.add(entry),
        // A shared store failed over and has a new epoch, whose numbers may be lower.
        ({ sequence }) => {
          this.queue = this.queue.then(() => this.restart(sequence));
        },
      ),
      guards.watch((guard) => {
        this.reads.changed();
        this.publish([GUARDS], JSON.stringify({ type: 'guard', guard } satisfies LiveMessage));
      }),
      engine.progress.watch((progress) =>
        this.publish(this.audience.following(progress.run), progressText(progress)),
      ),
      () => clearInterval(timer),
      () => clearInterval(beats),
      () => this.batcher.close(),
    ];
  }

  get size(): number {
    return this.connections.size;
  }

  open(socket: Socket, reader: Reader): void {
    const connection: Connection = { socket, reader, last: null, subscribed: false };
    this.connections.set(socket, connection);
    this.waiting.push(connection);
    this.catchUpNext();
  }

  closed(socket: Socket): void {
    const connection = this.connections.get(socket);
    this.connections.delete(socket);
    if (connection === undefined) return;
    this.joining.delete(connection);
    if (connection.subscribed) this.audience.leave(connection.reader.filter);
  }

  /** Closes the feeds of a session or an API token. */
  end(session: string): void {
    for (const connection of [...this.connections.values()]) {
      if (connection.reader.session === session) this.drop(connection, LIVE_CLOSE.signed_out, 'signed out');
    }
  }

  close(): void {
    for (const stop of this.stops) stop();
  }

  private drop({ socket }: Connection, code: number, reason: string): void {
    if (!this.connections.has(socket)) return;
    this.closed(socket);
    socket.close(code, reason);
  }

  private failed(error: unknown): void {
    this.parts.logger.warn({ err: error }, 'cannot read the live feed');
    for (const connection of [...this.connections.values()]) {
      this.drop(connection, LIVE_CLOSE.storage, 'the storage is unavailable, reconnect');
    }
  }

  /** Delivers entries in sequence, and reads missing ones first. */
  private enqueue(entries: readonly FeedEntry[]): void {
    for (const entry of entries) {
      this.queue = this.queue.then(() => this.deliver(entry)).catch((error: unknown) => this.failed(error));
    }
  }

  private async deliver(entry: FeedEntry): Promise<void> {
    if (entry.sequence <= this.published) {
      const { epoch } = await this.parts.engine.feed.head();
      if (epoch === this.epoch) return;
      this.epoch = epoch;
      return this.restart(entry.sequence);
    }
    while (entry.sequence > this.published + 1) {
      const { epoch } = await this.parts.engine.feed.head();
      const missed = await this.parts.engine.feed.since({ epoch, sequence: this.published }, CHUNK);
      if (missed === null || missed.length === 0) return this.restart(entry.sequence);
      for (const one of missed) this.send(one);
    }
    this.send(entry);
  }

  /** The buffer does not reach back, or there is a new epoch: every reader reconnects and gets a snapshot. */
  private restart(sequence: number): void {
    this.published = sequence;
    this.reads.restarted();
    for (const connection of [...this.connections.values()]) {
      this.drop(connection, LIVE_CLOSE.storage, 'the feed cannot be resumed, reconnect');
    }
  }

  private send({ sequence, run }: FeedEntry): void {
    if (sequence <= this.published) return;
    this.published = sequence;
    this.reads.changed();
    const text = this.reads.textOf({ sequence, run });
    this.publish(this.audience.of(run), text);
    for (const connection of [...this.joining]) {
      if (sequence > (connection.last ?? 0)) {
        if (concerns(connection.reader.filter, run)) this.sendTo(connection, text);
        connection.last = sequence;
      }
      this.join(connection);
    }
  }

  private publish(topics: Iterable<string>, text: string): void {
    for (const topic of topics) this.parts.publish(topic, text);
    this.unswept += text.length;
    if (this.unswept > SWEEP_CHARS) this.sweep();
  }

  /** Subscribes a reader that has caught up with the published sequence. */
  private join(connection: Connection): void {
    if (connection.last !== this.published || !this.connections.has(connection.socket)) return;
    this.joining.delete(connection);
    connection.subscribed = true;
    this.audience.join(connection.reader.filter);
    const { filter } = connection.reader;
    connection.socket.subscribe(filter.key);
    connection.socket.subscribe(BEATS);
    if (filter.projects === null) connection.socket.subscribe(GUARDS);
  }

  private sendTo(connection: Connection, text: string): void {
    if (connection.socket.send(text) !== 'dropped') return;
    this.drop(connection, LIVE_CLOSE.slow_reader, 'too slow, reconnect with since');
  }

  private catchUpNext(): void {
    while (this.catching < CATCHING_UP) {
      const connection = this.waiting.shift();
      if (connection === undefined) return;
      this.catching++;
      void this.catchUp(connection)
        .catch((error: unknown) => {
          this.parts.logger.warn({ err: error }, 'cannot serve a live feed');
          this.drop(connection, LIVE_CLOSE.storage, 'the storage is unavailable, reconnect');
        })
        .then(() => nextTurn())
        .then(() => {
          this.catching--;
          this.catchUpNext();
        });
    }
  }

  private async catchUp(connection: Connection): Promise<void> {
    if (!this.connections.has(connection.socket)) return;
    const { since, unreadable, filter } = connection.reader;
    if (since !== null && (await this.resume(connection, since))) {
      const guard = this.parts.guards.all();
      if (filter.projects === null)
        this.sendTo(connection, JSON.stringify({ type: 'guard', guard } satisfies LiveMessage));
    } else {
      const snapshot = await this.reads.snapshot(filter);
      this.sendTo(connection, snapshot.text(since !== null || unreadable));
      connection.last = snapshot.sequence;
    }
    while ((connection.last ?? 0) < this.published) {
      const { epoch } = await this.parts.engine.feed.head();
      if (await this.resume(connection, { epoch, sequence: connection.last ?? 0 })) continue;
      return this.drop(connection, LIVE_CLOSE.storage, 'the feed cannot be resumed, reconnect');
    }
    if (!this.connections.has(connection.socket)) return;
    for (const progress of this.parts.engine.progress.all()) {
      if (concerns(filter, progress.run)) this.sendTo(connection, progressText(progress));
    }
    this.joining.add(connection);
    this.join(connection);
  }

  /** Returns false if the feed does not reach back to the cursor. */
  private async resume(connection: Connection, cursor: FeedCursor): Promise<boolean> {
    const { feed } = this.parts.engine;
    const head = await feed.head();
    if (cursor.epoch !== head.epoch || cursor.sequence > head.sequence) return false;
    connection.last = cursor.sequence;
    for (;;) {
      const entries = await this.reads.since({ epoch: head.epoch, sequence: connection.last });
      if (entries === null) return false;
      connection.socket.together(() => {
        for (const entry of entries) {
          if (concerns(connection.reader.filter, entry.run)) {
            this.sendTo(connection, this.reads.textOf(entry));
          }
        }
      });
      connection.last = entries.at(-1)?.sequence ?? connection.last;
      if (entries.length < CHUNK || !this.connections.has(connection.socket)) return true;
    }
  }

  private sweep(): void {
    this.unswept = 0;
    for (const [connection, why] of sweep(this.connections.values(), this.parts.now())) {
      this.drop(connection, why.code, why.reason);
    }
  }
}

function progressText({ run: { run_id }, steps }: AnalysisProgress): string {
  return JSON.stringify({ type: 'progress', run_id, steps } satisfies LiveMessage);
}

/**
 * The delay between two publications. Each costs up to 10 µs of system time per reader, and the gates need most of that time.
 * Changes during the delay are written together.
 */
const PAUSE = { msPerReader: 0.05, mostMs: 250 } as const;

interface Batcher<Item> {
  add(item: Item): void;
  close(): void;
}

/** Passes on the first item at once, and batches the following ones for a delay that grows with the number of readers. */
function createBatcher<Item>(readers: () => number, pass: (items: readonly Item[]) => void): Batcher<Item> {
  let batch: Item[] = [];
  let pause: NodeJS.Timeout | null = null;
  const flush = () => {
    pause = null;
    if (batch.length === 0) return;
    const items = batch;
    batch = [];
    const ms = Math.min(PAUSE.mostMs, readers() * PAUSE.msPerReader);
    if (ms >= 1) pause = setTimeout(flush, ms).unref();
    pass(items);
  };
  return {
    add(item) {
      batch.push(item);
      if (pause === null) flush();
    },
    close() {
      if (pause !== null) clearTimeout(pause);
      pause = null;
      batch = [];
    },
  };
}

const SWEEP_MS = 500;
/** Send buffer per reader in bytes. A whole snapshot fits. */
const READER_BYTES = 2 * 1024 * 1024;
/** Send buffers of all readers in bytes. Above it, readers with the largest buffers are closed first. */
const ALL_BYTES = 128 * 1024 * 1024;

interface Why {
  readonly code: number;
  readonly reason: string;
}
const SLOW: Why = { code: LIVE_CLOSE.slow_reader, reason: 'too slow, reconnect with since' };
const CONFIRM: Why = {
  code: LIVE_CLOSE.confirm,
  reason: 'the session has to be confirmed, reconnect with since',
};
const ENDED: Why = { code: LIVE_CLOSE.signed_out, reason: 'the session has ended' };

/** Readers to close, and why. Publishing does not check individual readers. */
function sweep(connections: Iterable<Connection>, now: number): readonly (readonly [Connection, Why])[] {
  const out: (readonly [Connection, Why])[] = [];
  const slow: { readonly connection: Connection; readonly bytes: number }[] = [];
  let all = 0;
  for (const connection of connections) {
    const { expiresAt, confirmAt } = connection.reader;
    const bytes = connection.socket.waiting();
    if (expiresAt !== null && expiresAt <= now) out.push([connection, ENDED]);
    else if (confirmAt !== null && confirmAt <= now) out.push([connection, CONFIRM]);
    else if (bytes > READER_BYTES) out.push([connection, SLOW]);
    else if (bytes > 0) {
      slow.push({ connection, bytes });
      all += bytes;
    }
  }
  if (all <= ALL_BYTES) return out;
  slow.sort((a, b) => b.bytes - a.bytes);
  for (const { connection, bytes } of slow) {
    if (all <= ALL_BYTES) break;
    out.push([connection, SLOW]);
    all -= bytes;
  }
  return out;
}
