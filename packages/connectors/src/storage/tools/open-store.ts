import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunState } from '@culprit/core';
import { CulpritError, type Logger } from '@culprit/core/connector';
import type { CacheStore } from '@culprit/core/internal/ports/cache';
import type { Values } from '@culprit/core/internal/ports/values';
import { keyvValues } from '../../shared/keyv-values.js';
import { placeOfUrl } from '../config.js';
import { sharedStorage } from '../redis/shared-storage.js';
import { embeddedStorage } from '../run-store/embedded-storage.js';
import type { KeyValue } from '../run-store/key-value.js';
import { after, keys, scope } from '../run-store/keys.js';
import { isHeldElsewhere, levelKeyValue } from '../run-store/level-key-value.js';
import type { RunStorage } from '../run-store/run-storage.js';
import { SCHEMA } from '../run-store/schema.js';
import { indexRuns } from '../run-store/search/index-runs.js';
import type { Writer } from '../run-store/writer.js';
import { valuesAdapter } from '../values-adapter.js';
import { copyLive } from './copy-live.js';
import { type Dump, levelDump } from './dump.js';
import { redisDump } from './redis-dump.js';

/** Where a store is and how to open it without an engine. */
export interface OpenStoreOptions {
  readonly url: string;
  readonly logger: Logger;
  readonly auditKey?: string | null;
  /** True: nothing will be written, so a file store held by a running core is read from a copy. */
  readonly reading?: boolean;
}

/** A storage opened by a tool. */
export interface OpenStore extends RunStorage {
  readonly kind: 'file' | 'redis';
  /** True: another process holds the file store, and this is a copy of it. */
  readonly copied: boolean;
  readonly reads: Pick<KeyValue, 'getMany' | 'entries'>;
  readonly writer: Writer;
  readonly values: Values;
  /** What processes cache there, if they do. */
  readonly cache?: CacheStore;
  readonly dump: Dump;
  readonly schema: string;
  /** What the store has lost, after the time; `null`: nothing known. */
  loss(): Promise<string | null>;
  /** Number of runs in a state. */
  countRuns(state: RunState): Promise<number>;
  /** Returns free space to the disk; Redis does so automatically. `progress`: approximate bytes, done and in total. */
  compact(progress?: (done: number, all: number) => void): Promise<void>;
  /** Indexes the runs that searches do not find yet, and counts their users. `progress`: the number of runs looked at. */
  indexRuns(progress?: (runs: number) => void): Promise<number>;
  /** The directory of a file store. */
  readonly directory: string | null;
  close(): Promise<void>;
}

const FEED_ENTRIES = 10_000;
const EVENT_ID_MS = 30 * 24 * 60 * 60_000;

/** Opens a storage beside the servers. Rejects with `storage_unavailable` if a running core holds the file store. */
export async function openStore(options: OpenStoreOptions): Promise<OpenStore> {
  const place = placeOfUrl(options.url);
  const { logger, auditKey = null } = options;
  const facts = (reads: OpenStore['reads'], writer: Writer) => ({
    schema: SCHEMA,
    loss: async () => (await reads.getMany([keys.loss]))[0] ?? null,
    countRuns: (state: RunState) => countRuns(reads, state),
    indexRuns: (progress?: (runs: number) => void) => indexRuns({ reads, writer, progress, every: true }),
  });
  if (place.kind === 'memory') {
    throw new CulpritError(
      'configuration',
      'STORAGE_URL is memory:, which ends with its process, so there is nothing to open.',
      {
        path: 'storageUrl',
      },
    );
  }
  if (place.kind === 'redis') {
    const parts = { url: place.url, logger, feedEntries: FEED_ENTRIES, eventIdMs: EVENT_ID_MS, auditKey };
    const { redis, ...shared } = await sharedStorage(parts);
    const dump = redisDump(redis, shared.reads);
    return {
      ...shared,
      ...facts(shared.reads, shared.writer),
      kind: 'redis',
      copied: false,
      dump,
      directory: null,
      compact: async () => {},
    };
  }
  const own = join(place.directory, 'store');
  const { store, copy } = await openFile(
    own,
    join(place.directory, `copy-${process.pid}`),
    options.reading === true,
  );
  const embedded = await embeddedStorage(store, { logger, feedEntries: FEED_ENTRIES, auditKey });
  return {
    ...embedded,
    ...facts(store, embedded.writer),
    kind: 'file',
    copied: copy !== null,
    reads: store,
    values: keyvValues(valuesAdapter(store, embedded.writer)),
    dump: levelDump(store),
    directory: place.directory,
    compact: store.compact,
    close: async () => {
      await embedded.close();
      if (copy !== null) await rm(copy, { recursive: true, force: true });
    },
  };
}

async function countRuns(reads: OpenStore['reads'], state: RunState): Promise<number> {
  const start = keys.activity(scope(undefined, state), '');
  let runs = 0;
  for (let gt = start; ; ) {
    const found = await reads.entries({ gt, lt: after(start), limit: 10_000 });
    runs += found.length;
    if (found.length < 10_000) return runs;
    gt = found.at(-1)?.[0] ?? gt;
  }
}

async function openFile(own: string, copy: string, reading: boolean) {
  try {
    return { store: await levelKeyValue(own), copy: null };
  } catch (error) {
    if (!reading || !isHeldElsewhere(error)) throw error;
    await removeLeftCopies(dirname(own));
    await copyLive(own, copy);
    return { store: await levelKeyValue(copy), copy };
  }
}

/** Removes copies left by killed tools, which keep the space of deleted tables. */
async function removeLeftCopies(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = /^copy-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(join(directory, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
