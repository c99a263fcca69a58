import { type RunSummary, type SnoozeUntil, WAITING_STATES } from '@culprit/core/model';
import { ApiError } from '../../client/api-error.js';
import { api } from '../api.js';
import { snoozeWords } from '../run/snooze-choice.js';
import { who } from '../state/session.js';

/** A decision that applies to many runs at once. Each is idempotent, so it can be asked again after a lost connection. None publishes. */
export interface ManyAction {
  /** `Rejecting` */
  readonly label: string;
  /** `Rejected` */
  readonly words: string;
  readonly applies: (run: Pick<RunSummary, 'state'>) => boolean;
  /** `run`: as it was selected. A run that has left its gate since is refused. */
  readonly work: (run: RunSummary, reason: string) => Promise<unknown>;
  readonly undo: ManyAction | null;
}

const reopenMany: ManyAction = {
  label: 'Undoing',
  words: 'Rejection undone',
  applies: () => true,
  work: async ({ run_id }) => {
    const me = who.value;
    const history = await api.history(run_id);
    const last = history.findLast(({ from, to }) => to !== null && to !== from);
    // A repetition after a lost connection.
    if (last?.name.endsWith('.reopen')) return;
    const mine = me !== null && me !== 'unknown' && last?.by === me.name;
    if (last?.to === 'rejected' && !mine) {
      throw new ApiError(409, 'state_conflict', `${last.by ?? 'Another reviewer'} has rejected the run.`);
    }
    await api.reopen(run_id);
  },
  undo: null,
};

export const rejectMany: ManyAction = {
  label: 'Rejecting',
  words: 'Rejected',
  applies: ({ state }) => state === 'staged_raw' || state === 'staged_draft',
  work: ({ run_id, state }, reason) =>
    state === 'staged_raw'
      ? api.rejectGateOne(run_id, reason)
      : api.rejectGateTwo(run_id, reason, 'rejected'),
  undo: reopenMany,
};

const wakeMany: ManyAction = {
  label: 'Undoing',
  words: 'Snooze undone',
  applies: () => true,
  work: ({ run_id }) =>
    api.wake(run_id).catch((error: unknown) => {
      // It is awake: a repetition, a crash has ended the snooze, or another reviewer has.
      if (!(error instanceof ApiError && error.code === 'state_conflict')) throw error;
    }),
  undo: null,
};

export function canSnooze({ state }: Pick<RunSummary, 'state'>): boolean {
  return WAITING_STATES.includes(state) || state === 'snoozed';
}

export function snoozeMany(until: SnoozeUntil): ManyAction {
  return {
    label: 'Snoozing',
    words: `Snoozed ${snoozeWords({ until })}`,
    applies: canSnooze,
    work: ({ run_id }, reason) => api.snooze(run_id, until, reason === '' ? undefined : reason),
    undo: wakeMany,
  };
}
