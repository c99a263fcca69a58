import type { Clock } from '../ports/clock.js';
import type { Values } from '../ports/values.js';
import { stored } from '../runs/stored.js';

/** How long a run stays listed without a change of its issue: the list is written before the run. */
const WRITTEN_MS = 60_000;

/** The runs whose issue may have to be changed, so that a start finds them without reading every published run. */
export interface PendingFollowUps {
  /** Before the decision is stored. */
  add(runId: string): Promise<void>;
  list(): Promise<readonly string[]>;
  /** The run has no pending change. Has no effect on a run that was added a moment ago. */
  drop(runId: string): Promise<void>;
}

/** By run: when it was added, in milliseconds since 1970. */
type Listed = Readonly<Record<string, number>>;

export function pendingFollowUps(values: Values, clock: Clock): PendingFollowUps {
  const listed = stored<Listed>(values, 'follow-ups', { none: {} });
  return {
    add: async (runId) => {
      await listed.change((all) => ({ ...all, [runId]: clock.now() }));
    },
    list: async () => Object.keys(await listed.get()),
    drop: async (runId) => {
      await listed.change(({ [runId]: at, ...rest }) =>
        at === undefined || clock.now() - at < WRITTEN_MS ? null : rest,
      );
    },
  };
}
