import { randomBytes } from 'node:crypto';
import type { RunSummary } from '@culprit/core';
import type { Logger } from '@culprit/core/connector';
import type { FeedEntry, StatusFeed } from '@culprit/core/internal/ports/status-feed';
import type { KeyValue } from './key-value.js';
import { keys } from './keys.js';
import { decode, encodeRun } from './run-parts.js';
import type { Transaction } from './writer.js';

export interface Feed extends StatusFeed {
  /** One entry for each run, in the write that changed it. */
  append(tx: Transaction, runs: readonly RunSummary[]): Promise<void>;
  /** Notifies listeners of entries that were written although their write failed. */
  catchUp(): Promise<void>;
}

export interface FeedOptions {
  /** Maximum number of entries. */
  readonly keep: number;
  readonly logger: Logger;
}

/** The feed of one store. Entries, epoch and last sequence number are written together with the runs. */
export async function openFeed(store: KeyValue, { keep, logger }: FeedOptions): Promise<Feed> {
  const [kept, head] = await store.getMany([keys.epoch, keys.feedHead]);
  const epoch = kept ?? randomBytes(12).toString('base64url');
  if (kept === undefined) await store.batch([{ type: 'put', key: keys.epoch, value: epoch }]);
  const listeners = new Set<(entry: FeedEntry) => void>();
  let delivered = Number(head ?? 0);

  const deliver = (entry: FeedEntry) => {
    delivered = entry.sequence;
    for (const listener of [...listeners]) {
      try {
        listener(entry);
      } catch (error) {
        logger.error({ err: error, sequence: entry.sequence }, 'a status feed listener threw');
      }
    }
  };
  const read = async (from: number, to: number, limit: number): Promise<FeedEntry[]> => {
    const range = { gt: keys.feed(from), lt: keys.feed(to + 1), limit };
    return (await store.entries(range)).map(([, text]) => decode<FeedEntry>(text, 'feed entry'));
  };

  return {
    append: async (tx, runs) => {
      if (runs.length === 0) return;
      const [last] = await tx.getMany([keys.feedHead]);
      let sequence = Number(last ?? 0);
      for (const run of runs) {
        sequence += 1;
        const entry: FeedEntry = { sequence, run };
        tx.put(keys.feed(sequence), `{"sequence":${sequence},"run":${encodeRun(run)}}`);
        if (sequence > keep) tx.del(keys.feed(sequence - keep));
        tx.afterCommit(() => deliver(entry));
      }
      tx.put(keys.feedHead, String(sequence));
    },
    catchUp: async () => {
      const [last] = await store.getMany([keys.feedHead]);
      for (const entry of await read(delivered, Number(last ?? 0), keep)) deliver(entry);
    },
    head: async () => ({ epoch, sequence: delivered }),
    since: async (cursor, limit) => {
      const from = cursor.sequence;
      const known = cursor.epoch === epoch && Number.isSafeInteger(from) && from >= 0 && from <= delivered;
      if (!known) return null;
      if (from === delivered || limit < 1) return [];
      const entries = await read(from, delivered, limit);
      return entries[0]?.sequence === from + 1 ? entries : null;
    },
    watch: (listener) => {
      const own = (entry: FeedEntry) => listener(entry);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
