import type { Input } from '../call.js';
import type { RunSummary } from '../operations.js';
import {
  type EdgeFigures,
  type LiveMessage,
  OPEN_STATES,
  type RunMessage,
  type SnapshotMessage,
} from './messages.js';

/** The effect of a message. `gap`: messages before it are missing, so it was not applied. */
export type Applied = 'snapshot' | 'run' | 'old' | 'guard' | 'progress' | 'beat' | 'gap';

/**
 * Core's open runs, maintained from its messages. If a snapshot is incomplete (`more`), pages of the API fill in the runs
 * that have had no message since: a message is always newer than a page read after it.
 */
export class LiveState {
  readonly runs = new Map<string, RunSummary>();
  guard: readonly EdgeFigures[] = [];
  /** The last sequence number applied; `null` before the first snapshot. */
  cursor: { readonly epoch: string; readonly sequence: number } | null = null;
  /** False while `runs` lacks some open runs. */
  complete = false;
  /** Runs with a message since the snapshot; `null` when complete. */
  private updated: Set<string> | null = null;

  /** `topics`: empty for every run. */
  constructor(private readonly topics: readonly string[] = []) {}

  /** Queries of `GET /api/v1/runs` that cover `runs`. A snapshot always holds the runs followed by ID. */
  queries(): Input<'listRuns'>[] {
    const state = OPEN_STATES.join(',');
    if (this.topics.length === 0) return [{ state }];
    return this.topics.map(partsOf).flatMap(({ kind, value }) => {
      if (kind === 'run') return [];
      return [kind === 'state' ? { state: value } : { state, project: value }];
    });
  }

  private keeps(run: RunSummary): boolean {
    if (this.topics.length === 0) return OPEN_STATES.includes(run.state);
    return this.topics.map(partsOf).some(({ kind, value }) => {
      if (kind === 'run') return run.run_id === value;
      return kind === 'state'
        ? run.state === value
        : run.project === value && OPEN_STATES.includes(run.state);
    });
  }

  apply(message: LiveMessage): Applied {
    switch (message.type) {
      case 'snapshot':
        this.snapshot(message);
        return 'snapshot';
      case 'run':
        return this.run(message);
      case 'guard':
        this.guard = message.guard;
        return 'guard';
      case 'progress':
      case 'beat':
        return message.type;
    }
  }

  /** Adds a page of one of the `queries`; `last` for the last page of the last query. */
  fill(page: readonly RunSummary[], last: boolean): void {
    for (const run of page) if (this.updated?.has(run.run_id) === false) this.runs.set(run.run_id, run);
    if (!last) return;
    this.updated = null;
    this.complete = true;
  }

  private snapshot({ epoch, sequence, runs, more, guard }: SnapshotMessage): void {
    this.runs.clear();
    for (const run of runs) this.runs.set(run.run_id, run);
    this.guard = guard;
    this.cursor = { epoch, sequence };
    this.complete = !more;
    this.updated = more ? new Set(runs.map(({ run_id }) => run_id)) : null;
  }

  private run({ sequence, run }: RunMessage): Applied {
    if (this.cursor === null) return 'gap';
    if (this.topics.length === 0 && sequence > this.cursor.sequence + 1) return 'gap';
    if (sequence <= this.cursor.sequence) return 'old';
    this.cursor = { epoch: this.cursor.epoch, sequence };
    this.updated?.add(run.run_id);
    if (this.keeps(run)) this.runs.set(run.run_id, run);
    else this.runs.delete(run.run_id);
    return 'run';
  }
}

function partsOf(topic: string): { readonly kind: string; readonly value: string } {
  const at = topic.indexOf(':');
  return { kind: topic.slice(0, at), value: topic.slice(at + 1) };
}
