import { ApiError } from '@culprit/client';
import type { RunSummary } from '@culprit/core';
import { claimOf } from '@culprit/core/internal/domain/claim';
import type { SnoozeUntil } from '@culprit/core/internal/domain/snooze';
import { api } from '../api.js';
import { snoozeWords } from '../run/snooze-choice.js';
import { who } from '../state/session.js';

/** A decision on many runs that wait at a gate. Each is idempotent, so it can be asked again after a lost connection. None publishes. */
export interface ManyAction {
  /** `Rejecting` */
  readonly label: string;
  /** `Rejected` */
  readonly words: string;
  /** `run`: as it was selected. A run that has left its gate since is refused. */
  readonly work: (run: RunSummary, reason: string) => Promise<unknown>;
  readonly undo: ManyAction | null;
}

function conflict(detail: string): ApiError {
  return new ApiError(409, 'state_conflict', detail);
}

function myName(): string | null {
  const me = who.value;
  return me === null || me === 'unknown' ? null : me.name;
}

const reopenMany: ManyAction = {
  label: 'Undoing',
  words: 'Rejection undone',
  work: async ({ run_id }) => {
    const history = (await api.getHistory({ run_id })).entries;
    const last = history.findLast(({ from, to }) => to !== null && to !== from);
    // A repetition after a lost connection.
    if (last?.name.endsWith('.reopen')) return;
    if (last?.to === 'rejected' && last.by !== myName()) {
      throw conflict(`${last.by ?? 'Another reviewer'} has rejected the run.`);
    }
    await api.reopenRun({ run_id });
  },
  undo: null,
};

export const rejectMany: ManyAction = {
  label: 'Rejecting',
  words: 'Rejected',
  work: ({ run_id, state }, reason) =>
    state === 'staged_raw'
      ? api.rejectGateOne({ run_id, reason })
      : api.rejectGateTwo({ run_id, reason, to: 'rejected' }),
  undo: reopenMany,
};

const wakeMany: ManyAction = {
  label: 'Undoing',
  words: 'Snooze undone',
  work: async ({ run_id }) => {
    const now = await api.getRun({ run_id });
    // A repetition after a lost connection, or a crash or another reviewer has ended the snooze.
    if (now.state !== 'snoozed') return;
    if (now.snooze?.by !== myName()) {
      throw conflict(`${now.snooze?.by ?? 'Another reviewer'} has snoozed the run.`);
    }
    await api.wakeRun({ run_id });
  },
  undo: null,
};

/** Snoozes every run in the same way. */
export function snoozeMany(until: SnoozeUntil): ManyAction {
  return {
    label: 'Snoozing',
    words: `Snoozed ${snoozeWords({ until })}`,
    work: async ({ run_id, state }, reason) => {
      const now = await api.getRun({ run_id });
      // A repetition after a lost connection.
      if (now.snooze?.by === myName() && JSON.stringify(now.snooze?.until) === JSON.stringify(until)) return;
      if (now.state !== state) throw conflict(`The run is ${now.state} now.`);
      await api.snoozeRun({ run_id, until, reason: reason === '' ? undefined : reason });
    },
    undo: wakeMany,
  };
}

const releaseMany: ManyAction = {
  label: 'Undoing',
  words: 'Claim released',
  work: ({ run_id }) => api.releaseClaim({ run_id }),
  undo: null,
};

/** Takes over no claim: a run that another reviewer has claimed is listed as failed. */
export const claimMany: ManyAction = {
  label: 'Claiming',
  words: 'Claimed',
  work: async ({ run_id }) => {
    const claim = claimOf(await api.getRun({ run_id }), Date.now());
    if (claim === null || claim.by !== myName()) await api.claimRun({ run_id });
  },
  undo: releaseMany,
};
