import type { RunState, RunSummary } from '@culprit/core';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { type Filter, mayShow, topicsOf } from './topics.js';

/** Runs whose last state is cached. For others, every state that they can come from is notified. */
const MAX_STATES = 50_000;

const NOTHING: Filter = { key: '', topics: [], projects: [] };

/** Which filters a change matches. Each filter is one topic of the native server, shared by its readers. */
export interface Audience {
  join(filter: Filter): void;
  leave(filter: Filter): void;
  /** Keys of the matching filters, without duplicates. */
  of(run: RunSummary): ReadonlySet<string>;
  /** The same for a message that changes no run. */
  following(run: RunSummary): ReadonlySet<string>;
}

export function createAudience(): Audience {
  const readers = new Map<string, { count: number; readonly filter: Filter }>();
  const byTopic = new Map<string, Set<string>>();
  const keysOf = (run: RunSummary, topics: readonly string[]) => {
    const matching = topics.flatMap((topic) => [...(byTopic.get(topic) ?? [])]);
    return new Set(matching.filter((key) => mayShow(readers.get(key)?.filter ?? NOTHING, run)));
  };
  const states = boundedMap<string, RunState>(MAX_STATES);
  return {
    join(filter) {
      const { key, topics } = filter;
      readers.set(key, { filter, count: (readers.get(key)?.count ?? 0) + 1 });
      for (const topic of topics) byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(key));
    },
    leave({ key, topics }) {
      const known = readers.get(key);
      if (known !== undefined && known.count > 1) {
        known.count -= 1;
        return;
      }
      readers.delete(key);
      for (const topic of topics) {
        const keys = byTopic.get(topic);
        keys?.delete(key);
        if (keys?.size === 0) byTopic.delete(topic);
      }
    },
    of(run) {
      const before = states.get(run.run_id) ?? null;
      states.set(run.run_id, run.state);
      return keysOf(run, topicsOf(run, before));
    },
    following: (run) => keysOf(run, topicsOf(run, run.state)),
  };
}

/** Whether a change read from the store, whose previous state is unknown, matches a filter. */
export function concerns(filter: Filter, run: RunSummary): boolean {
  const { topics } = filter;
  return mayShow(filter, run) && topicsOf(run, null).some((topic) => topics.includes(topic));
}
