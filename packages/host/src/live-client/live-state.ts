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
    if (this.cursor === null || sequence > this.cursor.sequence + 1) return 'gap';
    if (sequence <= this.cursor.sequence) return 'old';
    this.cursor = { epoch: this.cursor.epoch, sequence };
    this.spokenOf?.add(run.run_id);
    if (OPEN_STATES.includes(run.state)) this.runs.set(run.run_id, run);
    else this.runs.delete(run.run_id);
    return 'run';
  }
}
