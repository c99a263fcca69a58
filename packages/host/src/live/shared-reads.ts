import type { LiveMessage } from '@culprit/client/live';
import type { Engine } from '@culprit/core';
import type { FeedCursor, FeedEntry } from '@culprit/core/internal/ports/status-feed';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import type { GuardSnapshots } from '../server/guard-snapshots.js';
import { type Snapshot, takeSnapshot } from './snapshots.js';
import type { Filter } from './topics.js';

/** Entries per read when a reader resumes or entries are missing, and texts in the cache. */
export const CHUNK = 500;

/** Caches reads and serialised messages, so that mass reconnects read each entry once. */
export interface SharedReads {
  snapshot(filter: Filter): Promise<Snapshot>;
  /** Up to `CHUNK` entries; `null` if the buffer does not reach back. */
  since(cursor: FeedCursor): Promise<readonly FeedEntry[] | null>;
  textOf(entry: FeedEntry): string;
  /** Invalidates cached reads. */
  changed(): void;
  /** Invalidates everything: there is a new epoch. */
  restarted(): void;
}

export function createSharedReads(engine: Engine, guards: GuardSnapshots): SharedReads {
  const snapshots = new Map<string, Promise<Snapshot>>();
  const pages = new Map<string, Promise<readonly FeedEntry[] | null>>();
  const texts = boundedMap<number, string>(CHUNK);
  const changed = () => {
    snapshots.clear();
    pages.clear();
  };
  return {
    snapshot: (filter) => once(snapshots, filter.key, () => takeSnapshot(engine, guards, filter)),
    since: (cursor) =>
      once(pages, `${cursor.epoch}.${cursor.sequence}`, () => engine.feed.since(cursor, CHUNK)),
    textOf({ sequence, run }) {
      const known = texts.get(sequence);
      if (known !== undefined) return known;
      const text = JSON.stringify({ type: 'run', sequence, run } satisfies LiveMessage);
      texts.set(sequence, text);
      return text;
    },
    changed,
    restarted() {
      changed();
      texts.clear();
    },
  };
}

/** Failures are not cached. */
function once<Value>(cache: Map<string, Promise<Value>>, key: string, read: () => Promise<Value>) {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const reading = read();
  cache.set(key, reading);
  reading.catch(() => {
    if (cache.get(key) === reading) cache.delete(key);
  });
  return reading;
}
