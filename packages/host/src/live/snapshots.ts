import { LIVE_VERSION, type LiveMessage, OPEN_STATES } from '@culprit/client/live';
import { type Engine, isCulpritError, type RunSummary } from '@culprit/core';
import { RUN_STATES, summarise } from '@culprit/core/internal/domain/run';
import type { GuardSnapshots } from '../server/guard-snapshots.js';
import { limitEngine } from '../server/limited-engine.js';
import type { Filter } from './topics.js';

export const SNAPSHOT_RUNS = 200;

export interface Snapshot {
  readonly sequence: number;
  /** The message with this `reset`. */
  text(reset: boolean): string;
}

/** The current runs of a filter. */
export async function takeSnapshot(
  engine: Engine,
  guards: GuardSnapshots,
  filter: Filter,
): Promise<Snapshot> {
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
