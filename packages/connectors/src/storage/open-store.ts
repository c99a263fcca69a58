import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RunState } from '@culprit/core';
import { CulpritError, isCulpritError, type Logger } from '@culprit/core/connector';
import type { CacheStore } from '@culprit/core/internal/ports/cache';
import { walkList } from '@culprit/core/internal/store/key-value';
import { keys, scope } from '@culprit/core/internal/store/keys';
import { openStore as openOver, type Store } from '@culprit/core/internal/store/open-store';
import { indexRuns } from '@culprit/core/internal/store/search/index-runs';
import { EVENT_ID_MS, FEED_ENTRIES } from '@culprit/core/internal/store/storage-parts';
import type { Driver } from '@culprit/core/store';
import { placeOfUrl, type StorageLocation } from './config.js';
import { openDriver } from './drivers.js';
import { copyLive } from './level/copy-live.js';
import { copySqlite } from './sqlite/sqlite-key-value.js';

/** Where a store is and how to open it without an engine. */
export interface OpenStoreOptions {
  readonly url: string;
  readonly logger: Logger;
  readonly auditKey?: string | null;
  /** True: nothing will be written, so a store in files that a running core holds is read from a copy. */
  readonly reading?: boolean;
}

/** A storage opened by a tool. */
export interface OpenStore extends Store {
  readonly kind: StorageLocation['kind'];
  /** True: another process holds the files, and this is a copy of them. */
  readonly copied: boolean;
  /** What processes cache there, if they do. */
  readonly cache?: CacheStore | undefined;
  /** What the store has lost, after the time; `null`: nothing known. */
  loss(): Promise<string | null>;
  /** Number of runs in a state. */
  countRuns(state: RunState): Promise<number>;
  /** Returns free space to the disk; Redis does so automatically. `progress`: approximate bytes, done and in total. */
  compact(progress?: (done: number, all: number) => void): Promise<void>;
  /** Indexes the runs that searches do not find yet, and counts their users. `progress`: the number of runs looked at. */
  indexRuns(progress?: (runs: number) => void): Promise<number>;
}

/** Opens a storage beside the servers. Rejects with `storage_unavailable` if a running core holds it. */
export async function openStore(options: OpenStoreOptions): Promise<OpenStore> {
  const place = placeOfUrl(options.url);
  if (place.kind === 'memory') {
    const detail =
      'STORAGE_URL is memory:, which is lost when its process ends, so there is nothing to open.';
    throw new CulpritError('configuration', detail, { path: 'storageUrl' });
  }
  const { logger, auditKey = null, reading = false } = options;
  const { driver, copy } = await openHere(place, logger, reading);
  const close = () => driver.store.close().then(() => copy?.remove());
  const store = await openOver(
    { ...driver.store, close },
    { logger, feedEntries: FEED_ENTRIES, auditKey },
  ).catch((error) => close().then(() => Promise.reject(error)));
  const { reads, writer } = store;
  return {
    ...store,
    kind: place.kind,
    copied: copy !== null,
    cache: driver.cache,
    loss: async () => (await reads.getMany([keys.loss]))[0] ?? null,
    countRuns: (state) => countRuns(store, state),
    compact: driver.compact ?? (async () => {}),
    indexRuns: (progress) => indexRuns({ reads, writer, progress, every: true }),
  };
}

async function countRuns({ reads }: Store, state: RunState): Promise<number> {
  let runs = 0;
  for await (const found of walkList(reads, keys.activity(scope(undefined, state), ''), 10_000))
    runs += found.length;
  return runs;
}

async function openHere(
  place: StorageLocation,
  logger: Logger,
  reading: boolean,
): Promise<{ readonly driver: Driver; readonly copy: StoreCopy | null }> {
  const options = { logger, eventIdMs: EVENT_ID_MS };
  try {
    return { driver: await openDriver(place, options), copy: null };
  } catch (error) {
    const isHeld = isCulpritError(error) && error.reason === 'held_by_another_process';
    if (!reading || !isHeld || (place.kind !== 'file' && place.kind !== 'sqlite')) throw error;
    const copy = await copyPlace(place);
    return { driver: await openDriver(placeOfUrl(copy.url), options), copy };
  }
}

/** A copy of a store in files, for a program that must not change the store, not even its log. */
export interface StoreCopy {
  /** For `storage({ url })`. */
  readonly url: string;
  remove(): Promise<void>;
}

/** Copies a store in files, which another process may hold. Tables of LevelDB are linked and take no space. */
export function copyStore(url: string): Promise<StoreCopy> {
  const place = placeOfUrl(url);
  if (place.kind === 'file' || place.kind === 'sqlite') return copyPlace(place);
  throw new CulpritError('internal', `A storage of the kind ${place.kind} has no files to copy.`);
}

async function copyPlace(
  place: Extract<StorageLocation, { readonly kind: 'file' | 'sqlite' }>,
): Promise<StoreCopy> {
  const directory = place.kind === 'file' ? place.directory : dirname(place.file);
  await removeLeftCopies(directory);
  const copy = join(directory, `copy-${process.pid}`);
  const remove = () => rm(copy, { recursive: true, force: true });
  await remove();
  try {
    if (place.kind === 'file') {
      await copyLive(join(directory, 'store'), join(copy, 'store'));
      return { url: `file:${copy}`, remove };
    }
    const file = join(copy, basename(place.file));
    await copySqlite(place.file, file);
    return { url: `sqlite:${file}`, remove };
  } catch (error) {
    await remove();
    throw error;
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
