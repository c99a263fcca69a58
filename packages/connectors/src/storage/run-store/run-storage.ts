import type { HistoryEntry } from '@culprit/core';
import type { RunHistory } from '@culprit/core/internal/ports/run-history';
import type { RunOccurrences } from '@culprit/core/internal/ports/run-occurrences';
import type { RunStore } from '@culprit/core/internal/ports/run-store';
import type { RunUsage } from '@culprit/core/internal/ports/run-usage';
import type { RunValues } from '@culprit/core/internal/ports/run-values';
import type { StatusFeed } from '@culprit/core/internal/ports/status-feed';
import { changeRun, readRun } from './change.js';
import { changePair } from './change-pair.js';
import { countedOn } from './families.js';
import type { Feed } from './feed.js';
import type { KeyValue } from './key-value.js';
import { after, isRunId, keys } from './keys.js';
import { pageRuns } from './page.js';
import { quotaUsage } from './quota-ledger.js';
import { readOccurrences } from './read-occurrences.js';
import { recordBatch } from './record.js';
import { decode } from './run-parts.js';
import type { Seal } from './seal.js';
import { valuesOf } from './search/values-of.js';
import type { Writer } from './writer.js';

export interface RunStorage {
  readonly runStore: RunStore;
  readonly runHistory: RunHistory;
  readonly runOccurrences: RunOccurrences;
  readonly runValues: RunValues;
  readonly runUsage: RunUsage;
  readonly statusFeed: StatusFeed;
}

export interface RunStorageParts {
  readonly reads: Pick<KeyValue, 'getMany' | 'entries'>;
  readonly writer: Writer;
  readonly feed: Feed;
  readonly seal: Seal;
  /** True: other processes use the same store. */
  readonly shared?: boolean;
}

/** The ports over ordered keys, a writer and a feed. */
export function runStorage({ reads, writer, feed, seal, shared = false }: RunStorageParts): RunStorage {
  return {
    runStore: {
      shared,
      record: (batch) => writer.write((tx) => recordBatch(tx, { feed, seal }, batch)),
      get: async (runId) => (await readRun(reads, runId))?.record ?? null,
      change: (change) => writer.write((tx) => changeRun(tx, { feed, seal }, change)),
      changePair: (change) => writer.write((tx) => changePair(tx, { feed, seal }, change)),
      page: (query) => pageRuns(reads, query),
      countedOn: (occurrence) => countedOn(reads, occurrence),
    },
    runHistory: { history: (runId) => readHistory(reads, runId) },
    runOccurrences: readOccurrences(reads),
    runValues: { list: (query) => valuesOf(reads, query) },
    runUsage: { usage: () => quotaUsage(reads) },
    statusFeed: { head: feed.head, since: feed.since, watch: feed.watch },
  };
}

async function readHistory(
  store: Pick<KeyValue, 'entries'>,
  runId: string,
): Promise<readonly HistoryEntry[]> {
  if (!isRunId(runId)) return [];
  const gt = keys.history(runId, 0);
  const entries = await store.entries({ gt, lt: after(`l/${runId}/`), limit: 100_000 });
  return entries.map(([, text]) => decode<HistoryEntry>(text, 'history entry'));
}
