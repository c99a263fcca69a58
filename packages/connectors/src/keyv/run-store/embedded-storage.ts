import {
  CulpritError,
  type HistoryEntry,
  type Logger,
  type RunHistory,
  type RunStore,
  type StatusFeed,
} from '@culprit/core';
import { changeRun, readRun } from './change.js';
import { openFeed } from './feed.js';
import type { KeyValue } from './key-value.js';
import { after, isRunId, keys } from './keys.js';
import { pageRuns } from './page.js';
import { recordBatch } from './record.js';
import { decode } from './run-parts.js';
import { createWriter, type Writer } from './writer.js';

export interface EmbeddedStorage {
  readonly runStore: RunStore;
  readonly runHistory: RunHistory;
  readonly statusFeed: StatusFeed;
  /** For what else is kept in the same store. */
  readonly writer: Writer;
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly logger: Logger;
  /** How many entries the status feed keeps. */
  readonly feedEntries: number;
}

const SCHEMA = '1';

/** Run store, history and feed over any {@link KeyValue}, which must be this object's alone. */
export async function embeddedStorage(store: KeyValue, options: EmbeddedOptions): Promise<EmbeddedStorage> {
  await checkSchema(store);
  const feed = await openFeed(store, { keep: options.feedEntries, logger: options.logger });
  const writer = createWriter(store, feed.catchUp);
  return {
    runStore: {
      record: (batch) => writer.write((tx) => recordBatch(tx, feed, batch)),
      get: async (runId) => (await readRun(store, runId))?.record ?? null,
      change: (change) => writer.write((tx) => changeRun(tx, feed, change)),
      page: (query) => pageRuns(store, query),
    },
    runHistory: { history: (runId) => readHistory(store, runId) },
    statusFeed: { head: feed.head, since: feed.since, watch: feed.watch },
    writer,
    close: async () => {
      await writer.close();
      await store.close();
    },
  };
}

async function readHistory(store: KeyValue, runId: string): Promise<readonly HistoryEntry[]> {
  if (!isRunId(runId)) return [];
  const gt = keys.history(runId, 0);
  const entries = await store.entries({ gt, lt: after(`l/${runId}/`), limit: 100_000 });
  return entries.map(([, text]) => decode<HistoryEntry>(text, 'history entry'));
}

async function checkSchema(store: KeyValue): Promise<void> {
  const [schema] = await store.getMany([keys.schema]);
  if (schema === undefined) return store.batch([{ type: 'put', key: keys.schema, value: SCHEMA }]);
  if (schema === SCHEMA) return;
  throw new CulpritError(
    'configuration',
    `The storage was written by another version of Culprit (schema ${schema.slice(0, 16)}, this one speaks ${SCHEMA}). Start that version, or choose an empty directory.`,
  );
}
