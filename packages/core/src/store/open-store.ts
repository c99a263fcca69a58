import type { HistoryEntry } from '../domain/history.js';
import { CulpritError } from '../errors/error.js';
import type { Logger } from '../ports/logger.js';
import type { RunHistory } from '../ports/run-history.js';
import type { RunOccurrences } from '../ports/run-occurrences.js';
import type { RunStore } from '../ports/run-store.js';
import type { RunUsage } from '../ports/run-usage.js';
import type { RunValues } from '../ports/run-values.js';
import type { FeedCursor, StatusFeed } from '../ports/status-feed.js';
import type { Values } from '../ports/values.js';
import { silentLogger } from '../system.js';
import { changePair, changeRun, readRun } from './change.js';
import { countedOn } from './families.js';
import { type Feed, feedCursor, freshEpoch, openFeed, putAll } from './feed.js';
import type { KeyValue, Reads } from './key-value.js';
import { walk } from './key-value.js';
import { after, isRunId, keys } from './keys.js';
import { memoryKeyValue } from './memory-key-value.js';
import { pageRuns } from './page.js';
import { quotaUsage } from './quota-ledger.js';
import { readOccurrences } from './read-occurrences.js';
import { recordBatch } from './record-batch.js';
import { decode, encode } from './run-parts.js';
import { valuesOf } from './search/find-runs.js';
import { INDEX_VERSION } from './search/index-state.js';
import { storedValues } from './values.js';
import { type Seal, sealWith } from './write-run.js';
import { createWriter, type Writer } from './writer.js';

/** The ports that one storage implements together. */
export interface Storage {
  readonly runStore: RunStore;
  readonly runHistory: RunHistory;
  readonly runOccurrences: RunOccurrences;
  readonly runValues: RunValues;
  readonly runUsage: RunUsage;
  readonly statusFeed: StatusFeed;
  readonly values: Values;
}

export interface StoreOptions {
  readonly logger: Logger;
  /** Entries that the status feed buffers. */
  readonly feedEntries: number;
  /** Seals histories; absent or `null`: histories are not sealed. */
  readonly auditKey?: string | null;
  /** Milliseconds since 1970, for the expiry of values. */
  readonly now?: () => number;
}

/** A storage over a {@link KeyValue}. */
export interface Store extends Storage {
  readonly reads: KeyValue;
  /** For other data in the same store. */
  readonly writer: Writer;
  readonly seal: Seal;
  /** Waits for pending writes, and closes the {@link KeyValue}. */
  close(): Promise<void>;
}

/** Opens the storage in a {@link KeyValue} that nothing else uses. Migrates what an older version has written. */
export async function openStore(store: KeyValue, options: StoreOptions): Promise<Store> {
  const { sharing } = store;
  if (sharing === undefined) {
    await migrate(store, options.logger, new Date().toISOString());
    return storeFrom(store, options, await feedCursor(store)).opened;
  }
  const { opened, feed } = storeFrom(store, options, { epoch: '', sequence: 0 });
  await sharing.watch(feed);
  const schema = await sharing.putIfAbsent(keys.schema, SCHEMA);
  if (schema !== SCHEMA) throw unknownSchema(schema);
  return opened;
}

/** A storage that is lost with the process. */
export function openMemoryStore(options: Partial<StoreOptions> = {}): Store {
  const cursor = { epoch: freshEpoch(), sequence: 0 };
  const store = memoryKeyValue([...FRESH, [keys.epoch, cursor.epoch]]);
  return storeFrom(store, { logger: silentLogger, feedEntries: 10_000, ...options }, cursor).opened;
}

function storeFrom(store: KeyValue, options: StoreOptions, from: FeedCursor) {
  const { logger, feedEntries, auditKey = null, now } = options;
  const feed = openFeed(store, { keep: feedEntries, logger, from });
  const writer = createWriter(store, feed);
  // On a shared store, values that others keep changing must not hold up runs.
  const valuesWriter = store.sharing === undefined ? writer : createWriter(store, feed);
  const seal = sealWith(auditKey);
  const opened: Store = {
    ...portsOf(store, writer, feed, seal),
    values: storedValues(store, valuesWriter, now),
    reads: store,
    writer,
    seal,
    close: async () => {
      feed.close();
      await Promise.all([writer.close(), valuesWriter.close()]);
      await store.close();
    },
  };
  return { opened, feed };
}

function portsOf(store: KeyValue, writer: Writer, feed: Feed, seal: Seal): Omit<Storage, 'values'> {
  return {
    runStore: {
      shared: store.sharing !== undefined,
      record: (batch) => writer.write((tx) => recordBatch(tx, seal, batch)),
      get: async (runId) => (await readRun(store, runId))?.record ?? null,
      change: (change) => writer.write((tx) => changeRun(tx, seal, change)),
      changePair: (change) => writer.write((tx) => changePair(tx, seal, change)),
      page: (query) => pageRuns(store, query),
      countedOn: (occurrence) => countedOn(store, occurrence),
    },
    runHistory: { history: (runId) => readHistory(store, runId) },
    runOccurrences: readOccurrences(store),
    runValues: { list: (query) => valuesOf(store, query) },
    runUsage: { usage: () => quotaUsage(store) },
    statusFeed: { head: feed.head, since: feed.since, watch: feed.watch },
  };
}

async function readHistory(store: Reads, runId: string): Promise<readonly HistoryEntry[]> {
  if (!isRunId(runId)) return [];
  const gt = keys.history(runId, 0);
  const entries = await store.entries({ gt, lt: after(`l/${runId}/`), limit: 100_000 });
  return entries.map(([, text]) => decode<HistoryEntry>(text, 'history entry'));
}

/** Version of the stored format. Raise it with every change that an older Culprit cannot read. */
export const SCHEMA = '2';

const FRESH = [
  [keys.schema, SCHEMA],
  [keys.indexed, INDEX_VERSION],
] as const;

/** Migrates a store from one version to the next. Must be safe to run again after an interruption. */
type Migration = (store: KeyValue, now: string) => Promise<void>;

/** By the version they start from. */
const MIGRATIONS: Readonly<Record<string, { readonly to: string; readonly run: Migration }>> = {
  '1': { to: '2', run: dateEventIds },
};

/** Migrates a store to the current version step by step. Refuses a store written by a newer Culprit. */
async function migrate(store: KeyValue, logger: Logger, now: string): Promise<void> {
  const [found] = await store.getMany([keys.schema]);
  if (found === undefined) return putAll(store, FRESH);
  for (let schema = found; schema !== SCHEMA; ) {
    const step = MIGRATIONS[schema];
    if (step === undefined) throw unknownSchema(schema);
    logger.info({ from: schema, to: step.to }, 'migrating the storage');
    await step.run(store, now);
    await putAll(store, [[keys.schema, step.to]]);
    schema = step.to;
  }
}

function unknownSchema(schema: string): CulpritError {
  return new CulpritError(
    'configuration',
    `The storage was written by another version of Culprit (schema ${schema.slice(0, 16)}; this version uses ${SCHEMA}). Start that version, or choose an empty storage.`,
  );
}

/** Adds a time to event ids, so that retention can delete them. Existing ones get the current time. */
async function dateEventIds(store: KeyValue, now: string): Promise<void> {
  for await (const entries of walk(store, 'k/')) {
    const dated = entries.flatMap(([key, text]) => {
      const known = decode<{ readonly at?: string }>(text, 'event key');
      return known.at === undefined ? [[key, encode({ ...known, at: now })] as const] : [];
    });
    if (dated.length > 0) await putAll(store, dated);
  }
}
