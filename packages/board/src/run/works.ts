import { ApiError } from '@culprit/client';
import { claimOf } from '@culprit/core/internal/domain/claim';
import { api } from '../api.js';
import { myName } from '../state/session.js';
import type { Work } from './action.js';
import { snoozeWords, type Until } from './snooze-choice.js';

/** Decisions on one run or on many. Each can be sent again after a lost connection; a run that has changed since it was chosen is refused. */

function conflict(detail: string): ApiError {
  return new ApiError(409, 'state_conflict', detail);
}

/** Leaves a state that the reader has put the run in, unless another reviewer has done so since. `name` ends that of the entry in the history. */
function leaving(
  state: 'rejected' | 'merged',
  name: string,
  leave: (run: { readonly run_id: string }) => Promise<unknown>,
): Work['send'] {
  return async ({ run_id }) => {
    const history = (await api.getHistory({ run_id })).entries;
    const last = history.findLast(({ from, to }) => to !== null && to !== from);
    // A repetition after a lost connection.
    if (last?.name.endsWith(name)) return;
    if (last?.to === state && last.by !== myName()) {
      throw conflict(`${last.by ?? 'Another reviewer'} has ${state} the run.`);
    }
    await leave({ run_id });
  };
}

const undoRejection: Work = {
  doing: 'Undoing',
  done: 'Rejection undone',
  send: leaving('rejected', '.reopen', (run) => api.reopenRun(run)),
};

export const rejecting: Work = {
  doing: 'Rejecting',
  done: 'Rejected',
  leaves: true,
  send: ({ run_id, state }, reason) =>
    state === 'staged_raw'
      ? api.rejectGateOne({ run_id, reason })
      : api.rejectGateTwo({ run_id, reason, to: 'rejected' }),
  undo: undoRejection,
};

export const undoSnooze: Work = {
  doing: 'Undoing',
  done: 'Snooze undone',
  send: async ({ run_id }) => {
    const now = await api.getRun({ run_id });
    // A repetition after a lost connection, or a crash or another reviewer has ended the snooze.
    if (now.state !== 'snoozed') return;
    if (now.snooze?.by !== myName()) {
      throw conflict(`${now.snooze?.by ?? 'Another reviewer'} has snoozed the run.`);
    }
    await api.wakeRun({ run_id });
  },
};

export function snoozing({ until, reason }: Until): Work {
  return {
    doing: 'Snoozing',
    done: `Snoozed ${snoozeWords({ until })}`,
    leaves: true,
    send: async ({ run_id, state }) => {
      const now = await api.getRun({ run_id });
      // A repetition after a lost connection. It is sent, too: of the crashes that it waits for, some may have been counted.
      const repeats =
        now.snooze?.by === myName() && JSON.stringify(now.snooze?.until) === JSON.stringify(until);
      if (now.state !== state && !repeats) throw conflict(`The run is ${now.state} now.`);
      await api.snoozeRun({ run_id, until, reason });
    },
    undo: undoSnooze,
  };
}

export const releasing: Work = {
  doing: 'Releasing',
  done: 'Claim released',
  send: ({ run_id }) => api.releaseClaim({ run_id }),
};

/** Takes over no claim: a run that another reviewer has claimed is refused. */
export const claiming: Work = {
  doing: 'Claiming',
  done: 'Claimed',
  send: async ({ run_id }) => {
    const claim = claimOf(await api.getRun({ run_id }), Date.now());
    if (claim === null || claim.by !== myName()) await api.claimRun({ run_id });
  },
  undo: releasing,
};

export const undoMerge: Work = {
  doing: 'Undoing',
  done: 'Merge undone',
  send: leaving('merged', '.split', (run) => api.splitRun(run)),
};
