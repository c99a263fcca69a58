import type { RunSummary } from '@culprit/core';
import type { EdgeFigures, LiveMessage, RunMessage, SnapshotMessage } from '../live/messages.js';

export const OPEN_STATES: readonly RunSummary['state'][] = [
  'staged_raw',
  'analyzing',
  'staged_draft',
  'publishing',
];

/** What a message changed. `gap`: numbers are missing, so nothing was changed; resume after the last one known. */
export type Applied = 'snapshot' | 'run' | 'old' | 'guard' | 'gap';

/**
 * The open runs as core has them, kept by its messages. A snapshot may be incomplete (`more`): then pages of the API fill
 * in what the feed has not spoken of since, because the feed is newer than any page that is asked for later.
 */
export class LiveState {
  readonly runs = new Map<string, RunSummary>();
  guard: readonly EdgeFigures[] = [];
  /** The last number that was applied; `null` before the first snapshot. */
  cursor: { readonly epoch: string; readonly sequence: number } | null = null;
  /** False: there are open runs that are not in `runs` yet. */
  complete = false;
  /** Runs that the feed has spoken of since the snapshot; `null` once it is complete. */
  private spokenOf: Set<string> | null = null;

  /** `topics`: what was asked for; none means everything. */
  constructor(private readonly topics: readonly string[] = []) {}

  /** Lists of the API that hold the runs that are kept here; single runs are always in the snapshot. */
  queries(): (readonly (readonly [string, string])[])[] {
    const open = ['state', OPEN_STATES.join(',')] as const;
    if (this.topics.length === 0) return [[open]];
    return this.topics.flatMap((topic) => {
      const { kind, value } = partsOf(topic);
      if (kind === 'run') return [];
      return [kind === 'state' ? [['state', value] as const] : [open, ['project', value] as const]];
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
    }
  }

  /** A page of `GET /api/v1/runs` over the open states. */
  fill(page: readonly RunSummary[], last: boolean): void {
    for (const run of page) if (this.spokenOf?.has(run.run_id) === false) this.runs.set(run.run_id, run);
    if (!last) return;
    this.spokenOf = null;
    this.complete = true;
  }

  private snapshot({ epoch, sequence, runs, more, guard }: SnapshotMessage): void {
    this.runs.clear();
    for (const run of runs) this.runs.set(run.run_id, run);
    this.guard = guard;
    this.cursor = { epoch, sequence };
    this.complete = !more;
    this.spokenOf = more ? new Set(runs.map(({ run_id }) => run_id)) : null;
  }

  private run({ sequence, run }: RunMessage): Applied {
    if (this.cursor === null) return 'gap';
    if (this.topics.length === 0 && sequence > this.cursor.sequence + 1) return 'gap';
    if (sequence <= this.cursor.sequence) return 'old';
    this.cursor = { epoch: this.cursor.epoch, sequence };
    this.spokenOf?.add(run.run_id);
    if (this.keeps(run)) this.runs.set(run.run_id, run);
    else this.runs.delete(run.run_id);
    return 'run';
  }
}

function partsOf(topic: string): { readonly kind: string; readonly value: string } {
  const at = topic.indexOf(':');
  return { kind: topic.slice(0, at), value: topic.slice(at + 1) };
}
