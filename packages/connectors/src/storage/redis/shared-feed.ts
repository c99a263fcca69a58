import { randomBytes } from 'node:crypto';
import type { RunSummary } from '@culprit/core';
import type { Logger } from '@culprit/core/connector';
import type { FeedCursor, FeedEntry } from '@culprit/core/internal/ports/status-feed';
import type { Feed } from '../run-store/feed.js';
import { keys } from '../run-store/keys.js';
import { decode, encodeRun } from '../run-store/run-parts.js';
import { evaluate, type Redis } from './connection.js';
import { CHANNEL, FEED_APPEND, PREFIX } from './layout.js';
import { JOIN } from './scripts.js';
import type { SharedReads } from './shared-reads.js';

export interface SharedFeed extends Feed {
  /** This process's write got the sequence numbers from `first` on. Resolves when listeners have been notified. */
  committed(first: number, runs: readonly string[]): Promise<void>;
  close(): void;
}

/** Messages announce new entries; this poll finds what a lost message would have announced. */
const LOOK_MS = 1_000;
const CHUNK = 1_000;

interface Listener {
  readonly entry: (entry: FeedEntry) => void;
  readonly reset: (head: FeedCursor) => void;
}

/** The feed of one process on a shared store: the store assigns the numbers, other processes' entries are fetched in order. */
export async function openSharedFeed(redis: Redis, reads: SharedReads, logger: Logger): Promise<SharedFeed> {
  const listeners = new Set<Listener>();
  let epoch = '';
  let delivered = 0;
  let appended = 0;

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
  const read = async (from: number, limit: number): Promise<FeedEntry[]> => {
    const range = { gt: keys.feed(from), lt: keys.feed(Number.MAX_SAFE_INTEGER), limit };
    return (await reads.entries(range)).map(([, text]) => decode<FeedEntry>(text, 'feed entry'));
  };
  let pulling: Promise<void> | null = null;
  const pullNow = async () => {
    for (;;) {
      const entries = await read(delivered, CHUNK);
      for (const entry of entries) deliver(entry);
      if (entries.length < CHUNK) return;
    }
  };
  /** Fetches new entries. A caller during a fetch waits for the next one, which starts after it. */
  let next: Promise<void> | null = null;
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

  await redis.onConnect(async () => {
    const { client } = redis;
    const server = /^run_id:(\w+)/m.exec(await client.info('server'))?.[1] ?? 'unknown';
    const fresh = randomBytes(12).toString('base64url');
    const [now, head] = (await evaluate(client, JOIN, [PREFIX, server, fresh])) as [string, string];
    if (now === epoch) return;
    const known = epoch !== '';
    epoch = now;
    delivered = Number(head);
    if (known) notify((listener) => listener.reset({ epoch, sequence: delivered }));
  });
  const poll = () => void pull().catch(() => {});
  await redis.subscribe(CHANNEL, poll);
  const timer = setInterval(poll, LOOK_MS).unref();

  return {
    append: async (tx, runs: readonly RunSummary[]) => {
      for (const run of runs) tx.put(`${FEED_APPEND}${++appended}`, encodeRun(run));
    },
    catchUp: pull,
    committed: async (first, runs) => {
      if (first !== delivered + 1) {
        // The entries are durable; listeners get them with the next poll.
        await pull().catch((error) => logger.warn({ err: error }, 'the status feed could not be read'));
        return;
      }
      for (const [at, run] of runs.entries()) {
        deliver({ sequence: first + at, run: decode<RunSummary>(run, 'feed entry') });
      }
    },
    head: async () => {
      await pull();
      return { epoch, sequence: delivered };
    },
    since: async (cursor, limit) => {
      await pull();
      const from = cursor.sequence;
      const known = cursor.epoch === epoch && Number.isSafeInteger(from) && from >= 0 && from <= delivered;
      if (!known) return null;
      if (from === delivered || limit < 1) return [];
      const entries = await read(from, limit);
      return entries[0]?.sequence === from + 1 ? entries : null;
    },
    watch: (listener, reset = () => {}) => {
      const own = { entry: listener, reset };
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close: () => clearInterval(timer),
  };
}
