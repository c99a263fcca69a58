import { randomBytes } from 'node:crypto';
import type { RunSummary } from '../domain/run.js';
import type { Logger } from '../ports/logger.js';
import type { FeedCursor, FeedEntry, StatusFeed } from '../ports/status-feed.js';
import type { KeyValue, Operation } from './key-value.js';
import { keys } from './keys.js';
import { decode, encodeRun } from './run-parts.js';

export interface Feed extends StatusFeed {
  /** Maximum number of entries. */
  readonly keep: number;
  /** The entries of one write, with their numbers, for a store that this process owns. */
  numbered(runs: readonly RunSummary[]): readonly Operation[];
  /** The entries are durable; `first`: the number that a shared store gave to the first one. Resolves when listeners have been notified. */
  committed(first: number | undefined, runs: readonly RunSummary[]): Promise<void>;
  /** Notifies listeners of entries that were written although their write failed. */
  catchUp(): Promise<void>;
  /** Of a shared store: at each connect, and when another process may have added entries. */
  joined(cursor: FeedCursor): void;
  changed(): void;
  close(): void;
}

export interface FeedOptions {
  /** Maximum number of entries. */
  readonly keep: number;
  readonly logger: Logger;
  /** Where the feed of a store that this process owns continues. */
  readonly from: FeedCursor;
}

/** A shared store announces new entries; this poll finds what a lost message would have announced. */
const LOOK_MS = 1_000;
const CHUNK = 1_000;

interface Listener {
  readonly entry: (entry: FeedEntry) => void;
  readonly reset: (head: FeedCursor) => void;
}

/** Where the feed of a store that this process owns continues. */
export async function feedCursor(store: KeyValue): Promise<FeedCursor> {
  const [kept, head] = await store.getMany([keys.epoch, keys.feedHead]);
  const epoch = kept ?? freshEpoch();
  if (kept === undefined) await putAll(store, [[keys.epoch, epoch]]);
  return { epoch, sequence: Number(head ?? 0) };
}

export function freshEpoch(): string {
  return randomBytes(12).toString('base64url');
}

/** A write beside those of a writer, before there is one. */
export async function putAll(
  store: KeyValue,
  entries: readonly (readonly [key: string, value: string])[],
): Promise<void> {
  const operations = entries.map(([key, value]): Operation => ({ type: 'put', key, value }));
  await store.commit({ operations, expected: new Map(), feed: { entries: [], keep: 0 } });
}

/** The feed of one process. Entries are written together with the runs; those of other processes are fetched in order. */
export function openFeed(store: KeyValue, { keep, logger, from }: FeedOptions): Feed {
  const listeners = new Set<Listener>();
  let { epoch, sequence: delivered } = from;

  const notify = (act: (listener: Listener) => void) => {
    for (const listener of [...listeners]) {
      try {
        act(listener);
      } catch (error) {
        logger.error({ err: error, sequence: delivered }, 'a status feed listener threw');
      }
    }
  };
  const deliver = (entry: FeedEntry) => {
    if (entry.sequence <= delivered) return;
    delivered = entry.sequence;
    notify((listener) => listener.entry(entry));
  };
  const read = async (after: number, limit: number): Promise<FeedEntry[]> => {
    const range = { gt: keys.feed(after), lt: keys.feed(Number.MAX_SAFE_INTEGER), limit };
    return (await store.entries(range)).map(([, text]) => decode<FeedEntry>(text, 'feed entry'));
  };
  const pullNow = async () => {
    for (;;) {
      const entries = await read(delivered, CHUNK);
      for (const entry of entries) deliver(entry);
      if (entries.length < CHUNK) return;
    }
  };
  let pulling: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  /** Fetches new entries. A caller during a fetch waits for the next one, which starts after it. */
  const pull = (): Promise<void> => {
    next ??= (pulling ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        next = null;
        pulling = pullNow();
        return pulling;
      });
    return next;
  };
  const { sharing } = store;
  const changed = () => void pull().catch(() => {});
  const timer = sharing === undefined ? undefined : setInterval(changed, LOOK_MS).unref();
  const ofOthers = sharing === undefined ? async () => {} : pull;
  return {
    keep,
    joined(cursor: FeedCursor) {
      if (cursor.epoch === epoch) return;
      const known = epoch !== '';
      epoch = cursor.epoch;
      delivered = cursor.sequence;
      if (known) notify((listener) => listener.reset(cursor));
    },
    changed,
    numbered(runs) {
      if (runs.length === 0) return [];
      const operations: Operation[] = [];
      let sequence = delivered;
      for (const run of runs) {
        sequence += 1;
        const value = `{"sequence":${sequence},"run":${encodeRun(run)}}`;
        operations.push({ type: 'put', key: keys.feed(sequence), value });
        if (sequence > keep) operations.push({ type: 'del', key: keys.feed(sequence - keep) });
      }
      operations.push({ type: 'put', key: keys.feedHead, value: String(sequence) });
      return operations;
    },
    async committed(first = delivered + 1, runs) {
      if (runs.length === 0) return;
      if (first !== delivered + 1) {
        // The entries are durable; listeners get them with the next poll.
        await pull().catch((error) => logger.warn({ err: error }, 'the status feed could not be read'));
        return;
      }
      for (const [at, run] of runs.entries()) deliver({ sequence: first + at, run });
    },
    catchUp: pull,
    head: async () => {
      await ofOthers();
      return { epoch, sequence: delivered };
    },
    since: async (cursor, limit) => {
      await ofOthers();
      const { sequence } = cursor;
      const known =
        cursor.epoch === epoch && Number.isSafeInteger(sequence) && sequence >= 0 && sequence <= delivered;
      if (!known) return null;
      if (sequence === delivered || limit < 1) return [];
      const entries = (await read(sequence, limit)).filter((entry) => entry.sequence <= delivered);
      return entries[0]?.sequence === sequence + 1 ? entries : null;
    },
    watch: (entry, reset = () => {}) => {
      const own = { entry, reset };
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close: () => clearInterval(timer),
  };
}
