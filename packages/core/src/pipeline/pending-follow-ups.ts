import type { Clock } from '../ports/clock.js';
import type { Values } from '../ports/values.js';

const KEY = 'follow-ups';
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
  const read = (text: string | undefined): Listed => (text === undefined ? {} : (JSON.parse(text) as Listed));
  return {
    add: async (runId) => {
      await values.change(KEY, (text) => JSON.stringify({ ...read(text), [runId]: clock.now() }));
    },
    list: async () => Object.keys(read(await values.get(KEY))),
    drop: async (runId) => {
      await values.change(KEY, (text) => {
        const { [runId]: at, ...rest } = read(text);
        return at === undefined || clock.now() - at < WRITTEN_MS ? undefined : JSON.stringify(rest);
      });
    },
  };
}
