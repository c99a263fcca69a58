import type { Run } from '@culprit/core';
import type { Draft } from '@culprit/core/connector';
import type { Scope } from '@culprit/core/internal/domain/access';
import { claimOf } from '@culprit/core/internal/domain/claim';
import { doneBefore, involvementOf, involvementText } from '@culprit/core/internal/domain/second-person';
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { api } from '../api.js';
import { stopEditing, unsaved } from '../draft/editor-state.js';
import { SignReview } from '../draft/sign-review.js';
import { ago } from '../format.js';
import { waits } from '../inbox/select.js';
import { Text } from '../parts/text.js';
import { type Detail, newer, shown } from '../state/run.js';
import { me, myName, notice } from '../state/session.js';
import type { Action, Plan, Work } from './action.js';
import { planHandOver } from './hand-over.js';
import { planMerge } from './merging.js';
import { planFixed, planNotFixed } from './resolving.js';
import { askUntil } from './snooze-choice.js';
import { claiming, rejecting, releasing, snoozing } from './works.js';

/** The run whose issue is being compared with its evidence; `null`: the dialog is closed. */
export const verifying = signal<string | null>(null);

/** The gate that the run waits at. */
const gateOf = ({ state }: Pick<Run, 'state'>): Scope => (state === 'staged_draft' ? 'gate2' : 'gate1');

/** What a state is left by, without a question. */
const WAYS_BACK: Readonly<Partial<Record<Run['state'], Work & { readonly label: string }>>> = {
  rejected: {
    label: 'Undo',
    doing: 'Undoing',
    done: 'Rejection undone',
    send: ({ run_id }) => api.reopenRun({ run_id }),
  },
  snoozed: { label: 'Wake', doing: 'Waking', done: 'Awake', send: ({ run_id }) => api.wakeRun({ run_id }) },
  merged: {
    label: 'Split',
    doing: 'Splitting',
    done: 'Split',
    send: ({ run_id }) => api.splitRun({ run_id }),
  },
};

const unpinning: Work = {
  doing: 'Unpinning',
  done: 'Unpinned',
  send: ({ run_id }) => api.unpinRun({ run_id }),
};
const pinning: Work = {
  doing: 'Pinning',
  done: 'Pinned',
  send: ({ run_id }) => api.pinRun({ run_id }),
  undo: unpinning,
};

const investigating: Work = {
  doing: 'Starting the investigation',
  done: 'Investigating',
  send: ({ run_id }) => api.startInvestigation({ run_id }),
};
const canInvestigate = () => me.value?.rules.investigates === true;
function sayWhatToSet(): null {
  notice.value = {
    tone: 'red',
    text: 'No model that can investigate is configured. Set OPENAI_MODEL and OPENAI_BASE_URL, or OLLAMA_MODEL, leave INVESTIGATE at auto or ask, and start core again.',
  };
  return null;
}
const stopping: Plan = {
  question: {
    title: 'Stop this investigation?',
    content: <p>Its questions are kept. The draft stays as it is.</p>,
    confirm: 'Stop',
  },
  doing: 'Stopping the investigation',
  done: 'Investigation stopped',
  send: ({ run_id }) => api.stopInvestigation({ run_id }),
};

/** Everything that a reviewer can do with a run, in the order of the buttons and of the list of shortcuts. */
export const ACTIONS = {
  approve: {
    key: 'a',
    label: 'Approve Gate 1',
    help: 'Approve Gate 1',
    scope: () => 'gate1',
    offered: ({ state }) => state === 'staged_raw',
    place: () => 'bar',
    primary: true,
    plan: (run) => ({
      question: {
        title: 'Approve Gate 1?',
        content: (
          <About run={run} ends>
            Culprit analyses the repository’s history and writes a draft. You review the draft before anything
            is published.
          </About>
        ),
        confirm: 'Approve Gate 1',
      },
      doing: 'Approving',
      done: 'Approved Gate 1',
      leaves: true,
      send: ({ run_id }) => api.approveGateOne({ run_id, prefer: 'respond-async' }),
    }),
  },
  sign: {
    key: 'Shift+A',
    label: 'Sign and publish',
    help: 'Sign and publish at Gate 2',
    scope: () => 'gate2',
    offered: ({ state, draft }) => state === 'staged_draft' && draft !== null,
    whyNot: whyNotSign,
    place: () => 'bar',
    primary: true,
    plan: ({ draft }) => {
      const detail = shown.value;
      return detail === null || draft === null ? null : planSigning(detail, draft, null);
    },
  },
  giveBack: {
    key: 'b',
    label: 'Return',
    help: 'Return to Gate 1',
    scope: () => 'gate2',
    offered: ({ state }) => state === 'staged_draft',
    place: () => 'bar',
    whyNot: whyNotChanged,
    plan: (run) => ({
      question: {
        title: 'Return this run to Gate 1?',
        content: (
          <About run={run} ends>
            This discards the draft. Approving Gate 1 again writes a new one.
          </About>
        ),
        confirm: 'Return to Gate 1',
        danger: true,
        reason: 'Reason, stored in the history',
      },
      doing: 'Returning to Gate 1',
      done: 'Returned to Gate 1',
      leaves: true,
      send: ({ run_id }, reason) => api.rejectGateTwo({ run_id, reason, to: 'staged_raw' }),
    }),
  },
  reject: {
    key: 'r',
    label: 'Reject',
    help: 'Reject the selected runs, or this one',
    scope: gateOf,
    offered: waits,
    whyNot: whyNotChanged,
    place: () => 'bar',
    plan: (run) => ({
      ...rejecting,
      question: {
        title: 'Reject this run?',
        content: (
          <About run={run} ends>
            New crashes with this fingerprint are counted, but do not start a new run for a while.
          </About>
        ),
        confirm: 'Reject',
        danger: true,
        reason: 'Reason, stored in the history',
      },
    }),
    many: {
      label: 'Reject',
      scope: gateOf,
      fits: waits,
      danger: true,
      plan: (question) => ({
        ...rejecting,
        question: {
          ...question(
            'New crashes with these fingerprints are counted, but do not start a new run for a while.',
          ),
          danger: true,
          reason: 'Reason, stored in the history of each run',
        },
      }),
    },
  },
  claim: {
    key: 'c',
    label: (run) => {
      const claim = claimOf(run, Date.now());
      return claim === null ? 'Claim' : claim.by === myName() ? 'Release' : 'Take over';
    },
    help: 'Claim the selected runs; claim, release or take over this one',
    scope: () => 'comment',
    offered: waits,
    place: () => 'turns',
    plan: (run) => {
      const claim = claimOf(run, Date.now());
      if (claim !== null) return claim.by === myName() ? releasing : planTakeOver(run);
      // Another reviewer may be faster.
      const plan = async () => planTakeOver(await api.getRun({ run_id: run.run_id }));
      return { ...claiming, refused: { code: 'claimed', plan } };
    },
    // Asks nothing: a claim keeps nobody from deciding, and is undone with one key.
    many: { label: 'Claim', scope: () => 'comment', fits: waits, plan: () => claiming },
  },
  pin: {
    key: 'Shift+P',
    label: ({ pinned }) => (pinned ? 'Unpin' : 'Pin'),
    help: 'Pin the selected runs; pin or unpin this one',
    scope: () => 'comment',
    offered: () => true,
    harmless: true,
    place: () => 'turns',
    plan: ({ pinned }) => (pinned ? unpinning : pinning),
    many: {
      label: 'Pin',
      scope: () => 'comment',
      fits: ({ pinned }) => !pinned,
      plan: (question) => ({
        ...pinning,
        question: question('They stand first in every list, and retention keeps them.'),
      }),
    },
  },
  comment: {
    key: 'm',
    label: 'Comment',
    help: 'Comment',
    scope: () => 'comment',
    offered: () => true,
    harmless: true,
    place: () => 'turns',
    plan: (run) => ({
      question: {
        title: 'Comment on this run',
        content: <About run={run}>Other reviewers see it here and in chat. It is not published.</About>,
        confirm: 'Comment',
        reason: 'Comment, stored in the history',
      },
      doing: 'Commenting',
      done: 'Comment added',
      send: ({ run_id }, comment) => api.commentOnRun({ run_id, comment }),
    }),
  },
  snooze: {
    key: 's',
    label: ({ state }) => (state === 'snoozed' ? 'Change' : 'Snooze'),
    help: 'Snooze the selected runs, or this one',
    scope: () => 'comment',
    offered: (run) => waits(run) || run.state === 'snoozed',
    place: ({ state }) => (state === 'snoozed' ? 'bar' : 'turns'),
    plan: async (run) => {
      const title = run.state === 'snoozed' ? 'Snooze this run for longer?' : 'Snooze this run?';
      const content = (
        <About run={run}>It leaves the inbox, keeps its gate and its draft, and returns by itself.</About>
      );
      const until = await askUntil({ title, content, confirm: 'Snooze' });
      return until && snoozing(until);
    },
    many: {
      label: 'Snooze',
      scope: () => 'comment',
      fits: (run) => waits(run) || run.state === 'snoozed',
      plan: async (question) => {
        const says = 'They leave the inbox, keep their gates and drafts, and return by themselves.';
        const until = await askUntil(question(says));
        return until && snoozing(until);
      },
    },
  },
  investigate: {
    key: 'i',
    label: ({ investigation }) =>
      investigation?.state === 'running' ? 'Stop' : investigation ? 'Investigate again' : 'Investigate',
    help: 'Investigate the cause with the model, or stop it',
    scope: () => 'investigate',
    offered: ({ state, investigation, suspects: [first] }) =>
      investigation?.state === 'running' || (state === 'staged_draft' && !first?.found_by),
    place: ({ investigation }) => {
      if (investigation?.state !== 'running' && !canInvestigate()) return null;
      return investigation ? 'investigation' : 'turns';
    },
    plan: ({ investigation }) =>
      investigation?.state === 'running' ? stopping : canInvestigate() ? investigating : sayWhatToSet(),
  },
  prefer: {
    key: 'p',
    label: ({ investigation, suspects: [first] }) =>
      first?.found_by
        ? 'Prefer the ranking'
        : investigation?.reason === 'edited'
          ? 'Use the finding'
          : 'Prefer the finding',
    help: 'Prefer the ranking, or the finding of the investigation',
    scope: () => 'gate2',
    offered: ({ state, investigation, draft }) =>
      state === 'staged_draft' && draft !== null && investigation?.probability != null,
    whyNot: whyNotReplaced,
    place: () => 'investigation',
    plan: planPreference,
  },
  undo: {
    key: 'z',
    label: ({ state }) => WAYS_BACK[state]?.label ?? 'Undo',
    help: 'Undo a rejection, a snooze, a merge or a mark as fixed',
    scope: ({ state }) => (state === 'snoozed' ? 'comment' : state === 'published' ? 'gate2' : 'gate1'),
    offered: ({ state, resolution }) =>
      state === 'published' ? Boolean(resolution?.by) : WAYS_BACK[state] !== undefined,
    place: () => 'bar',
    plan: (run) => WAYS_BACK[run.state] ?? planNotFixed(run),
  },
  merge: {
    key: 'Shift+M',
    label: 'Merge',
    help: 'Merge into another run',
    scope: () => 'gate1',
    offered: waits,
    plan: planMerge,
  },
  verify: {
    key: 'v',
    label: 'Verify',
    help: 'Compare a published issue with its evidence',
    scope: () => null,
    offered: ({ state }) => state === 'published',
    harmless: true,
    place: () => 'bar',
    plan: ({ run_id }) => {
      verifying.value = run_id;
      return null;
    },
  },
  handOver: {
    key: 'h',
    label: 'Hand over',
    help: 'Hand a published run over',
    scope: () => 'gate2',
    offered: ({ state, publication }) => state === 'published' && publication !== null,
    place: () => 'bar',
    plan: planHandOver,
  },
  fix: {
    key: 'd',
    label: ({ resolution }) => (resolution ? 'Try again' : 'Mark as fixed'),
    help: 'Mark as fixed',
    scope: () => 'gate2',
    offered: ({ state, resolution, follow_up }) =>
      state === 'published' && (!resolution || follow_up?.state === 'failed'),
    place: () => 'bar',
    plan: planFixed,
  },
} satisfies Readonly<Record<string, Action>>;
export const ALL_ACTIONS: readonly Action[] = Object.values(ACTIONS);

/** Another reviewer has changed the run: what is on the screen is no longer what would be decided. */
function whyNotChanged(): string | null {
  return newer.value === null ? null : 'This run has changed. Review the latest version first.';
}

/** Why the draft on the screen cannot be replaced. */
function whyNotReplaced(): string | null {
  return unsaved.value ? 'Save or discard your edit first.' : whyNotChanged();
}

/** Why this reviewer cannot sign the draft on the screen, although their role includes it; `null` if they can. */
function whyNotSign(): string | null {
  const changed = whyNotReplaced();
  if (changed !== null) return changed;
  if (me.value === null) return 'You are not signed in.';
  const { name, rules } = me.value;
  if (!rules.second_person || shown.value === null) return null;
  const { run, history } = shown.value;
  const involvement = involvementOf(name, run, doneBefore(history));
  return involvement && `You ${involvementText(involvement)}, so another reviewer must approve Gate 2.`;
}

/** `before`: the draft that the reviewer tried to sign, if another reviewer had changed it by then. */
function planSigning(detail: Detail, draft: Draft, before: Draft | null): Plan {
  const { run } = detail;
  return {
    question: {
      title:
        before === null ? 'Sign and publish this draft?' : 'The draft has changed. Sign the new version?',
      content: (
        <>
          <ClaimNote run={run} />
          <SignReview detail={detail} draft={draft} before={before} />
        </>
      ),
      confirm: 'Sign and publish',
      wide: true,
      careful: true,
    },
    doing: 'Signing',
    done: 'Signed',
    leaves: true,
    send: ({ run_id }) => {
      // A form in which nothing was changed.
      stopEditing();
      return api.approveGateTwo({ run_id, if_match: draft.digest, prefer: 'respond-async' });
    },
    refused: {
      code: 'draft_changed',
      plan: async () => {
        const now = await api.getRun({ run_id: run.run_id });
        if (now.state !== 'staged_draft' || now.draft === null) return null;
        return planSigning({ ...detail, run: now }, now.draft, draft);
      },
    },
  };
}

/** Lets the draft follow the other of ranking and finding. An edit of it is lost, so that is asked. */
function planPreference(run: Run): Plan | null {
  const { draft, suspects } = run;
  if (draft === null) return null;
  const by = suspects[0]?.found_by ? 'ranking' : 'investigation';
  const whose = by === 'ranking' ? 'the ranking' : 'the finding';
  return {
    ...(draft.edited_by !== null && {
      question: {
        title: `Replace the edited draft by one that follows ${whose}?`,
        content: (
          <About run={run}>
            The edit by <Text as="b" of={draft.edited_by} /> is lost.
          </About>
        ),
        confirm: 'Replace the draft',
        danger: true,
      },
    }),
    doing: 'Writing the draft',
    done: `The draft follows ${whose}`,
    send: ({ run_id }) => api.chooseSuspects({ run_id, by, if_match: draft.digest }),
  };
}

/** `null` if nobody has claimed the run any more. */
function planTakeOver(run: Run): Plan | null {
  const claim = claimOf(run, Date.now());
  if (claim === null) return null;
  return {
    question: {
      title: 'Take over this run?',
      content: (
        <About run={run}>
          <Text as="b" of={claim.by} /> claimed it {ago(claim.at).replace('now', 'just now')}.
        </About>
      ),
      confirm: 'Take over',
    },
    doing: 'Claiming',
    done: 'Claimed',
    send: ({ run_id }) => api.claimRun({ run_id, take_over: true }),
  };
}

interface AboutProps {
  readonly run: Run;
  /** The decision ends a claim of the run. */
  readonly ends?: boolean;
  /** What the action does. */
  readonly children: ComponentChildren;
}

/** In the dialog of an action. */
function About({ run, ends = false, children }: AboutProps) {
  return (
    <>
      <Text as="p" of={run.title} class="what" />
      {ends && <ClaimNote run={run} />}
      <p>{children}</p>
    </>
  );
}

/** Another reviewer has claimed the run. */
function ClaimNote({ run }: { readonly run: Pick<Run, 'claim'> }) {
  const claim = claimOf(run, Date.now());
  if (claim === null || claim.by === myName()) return null;
  return (
    <p class="callout" data-tone="amber">
      <Text as="b" of={claim.by} /> has claimed this run. Your decision ends the claim.
    </p>
  );
}
