import { LIVE_VERSION, type LiveMessage, OPEN_STATES } from '@culprit/client/live';
import { type Engine, isCulpritError, type RunSummary } from '@culprit/core';
import { RUN_STATES, summarise } from '@culprit/core/internal/domain/run';
import type { FeedCursor, FeedEntry } from '@culprit/core/internal/ports/status-feed';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import type { GuardSnapshots } from '../guard-snapshots.js';
import { limitEngine } from '../limited-engine.js';
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

const SNAPSHOT_RUNS = 200;

interface Snapshot {
  readonly sequence: number;
  /** The message with this `reset`. */
  text(reset: boolean): string;
}

/** The current runs of a filter. */
async function takeSnapshot(engine: Engine, guards: GuardSnapshots, filter: Filter): Promise<Snapshot> {
  const { projects } = filter;
  const seen = limitEngine(engine, { projects, refusal: () => null });
  const head = await engine.feed.head();
  const runs = new Map<string, RunSummary>();
  let more = false;
  for (const topic of filter.topics) {
    const found = await runsOf(seen, topic);
    for (const run of found.runs) runs.set(run.run_id, run);
    more ||= found.more;
  }
  const { epoch, sequence } = head;
  const sorted = [...runs.values()].sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  const texts = new Map<boolean, string>();
  return {
    sequence,
    text(reset) {
      const message: LiveMessage = {
        type: 'snapshot',
        version: LIVE_VERSION,
        epoch,
        sequence,
        runs: sorted,
        more,
        guard: projects === null ? guards.all() : [],
        reset,
      };
      const text = texts.get(reset) ?? JSON.stringify(message);
      texts.set(reset, text);
      return text;
    },
  };
}

async function runsOf(engine: Engine, topic: string) {
  const at = topic.indexOf(':');
  const [kind, value] = [topic.slice(0, at), topic.slice(at + 1)];
  if (kind === 'run') return { runs: await oneRun(engine, value), more: false };
  const states = kind === 'state' ? RUN_STATES.filter((state) => state === value) : OPEN_STATES;
  const query = { states, limit: SNAPSHOT_RUNS, ...(kind === 'project' ? { project: value } : {}) };
  const { runs, next } = await engine.runs(query);
  return { runs, more: next !== null };
}

async function oneRun(engine: Engine, runId: string): Promise<readonly RunSummary[]> {
  try {
    return [summarise(await engine.run(runId))];
  } catch (error) {
    if (isCulpritError(error, 'run_not_found')) return [];
    throw error;
  }
}
