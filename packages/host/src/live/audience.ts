import type { RunState, RunSummary } from '@culprit/core';
import { boundedMap } from '@culprit/core/resilience';
import { type Filter, topicsOf } from './topics.js';

/** Runs whose last state is cached. For others, every state that they can come from is notified. */
const MOST_STATES = 50_000;

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
  const readers = new Map<string, number>();
  const byTopic = new Map<string, Set<string>>();
  const keysOf = (topics: readonly string[]) =>
    new Set(topics.flatMap((topic) => [...(byTopic.get(topic) ?? [])]));
  const states = boundedMap<string, RunState>(MOST_STATES);
  return {
    join({ key, topics }) {
      readers.set(key, (readers.get(key) ?? 0) + 1);
      for (const topic of topics) byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(key));
    },
    leave({ key, topics }) {
      const left = (readers.get(key) ?? 1) - 1;
      if (left > 0) {
        readers.set(key, left);
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
      return keysOf(topicsOf(run, before));
    },
    following: (run) => keysOf(topicsOf(run, run.state)),
  };
}

/** Whether a change read from the store, whose previous state is unknown, matches a filter. */
export function concerns({ topics }: Filter, run: RunSummary): boolean {
  return topicsOf(run, null).some((topic) => topics.includes(topic));
}
