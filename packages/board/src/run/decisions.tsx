import { ApiError } from '@culprit/client';
import type { Run } from '@culprit/core';
import type { Draft } from '@culprit/core/connector';
import type { Scope } from '@culprit/core/internal/domain/access';
import { claimOf } from '@culprit/core/internal/domain/claim';
import { api } from '../api.js';
import { stopEditing, unsaved } from '../draft/editor-state.js';
import { SignReview } from '../draft/sign-review.js';
import { neighboursOf } from '../inbox/advance.js';
import { ask } from '../parts/dialog.js';
import { Text, visible } from '../parts/text.js';
import { noteDecision, type Undo } from '../state/decided.js';
import { outOfDate } from '../state/feed.js';
import { type Detail, decide, deciding, gateOneReviewer, isOpen, newer, shown } from '../state/run.js';
import { may, notice, report, who } from '../state/session.js';
import { askNotFixed } from './not-fixed.js';

/** Why no decision that needs this scope is possible now on the run on the screen; `null` if one is. */
export function whyNotDecide(scope: Scope): string | null {
  return whyNow() ?? whyNotIn(scope, shown.value?.run.project);
}

/** Why no decision at all is possible now; `null` if one is. */
export function whyNow(): string | null {
  if (outOfDate.value === null) return null;
  return `${outOfDate.value} Decisions are disabled until it is live again.`;
}

/** Why the reader's role does not include decisions that need this scope in a project, or in any; `null` if it does. */
export function whyNotIn(scope: Scope, project: string | undefined): string | null {
  const me = who.value;
  if (me === null || me === 'unknown') return null;
  const somewhere = me.scopes.includes(scope);
  if (project === undefined ? somewhere : may(scope, project)) return null;
  const place = somewhere ? ` in the project ${visible(project ?? '')}` : '';
  return `Your role does not include this decision${place}. It needs the scope “${scope}”.`;
}

/** Why this reviewer cannot sign Gate 2 now; `null` if they can. */
export function whyNotSign(): string | null {
  const me = who.value;
  const why = whyNotDecide('gate2');
  if (why !== null) return why;
  if (unsaved.value) return 'Save or discard your edit first.';
  if (newer.value !== null) return 'This run has changed. Review the latest version first.';
  if (me === null || me === 'unknown') return 'You are not signed in.';
  if (me.rules.second_person && gateOneReviewer.value === me.name) {
    return 'You approved Gate 1 of this run, so another reviewer must approve Gate 2.';
  }
  if (me.rules.second_person && shown.value?.run.draft?.edited_by === me.name) {
    return 'You edited this draft last, so another reviewer must approve Gate 2.';
  }
  return null;
}

/** The run on the screen, if a decision on it that needs this scope is possible now. */
export function current(scope: Scope) {
  const run = shown.value?.run ?? null;
  // The previous run stays on the screen until the next one has loaded; a key must not decide on it.
  if (run === null || !isOpen(run.run_id)) return null;
  return deciding.value === null && whyNotDecide(scope) === null ? run : null;
}

/** Sends a decision, and offers the next run of the group. Returns whether core has stored it. */
export async function settle(
  run: Run,
  {
    label,
    words,
    undo = null,
  }: { readonly label: string; readonly words: string; readonly undo?: Undo | null },
  work: () => Promise<unknown>,
): Promise<boolean> {
  const neighbours = neighboursOf(run.run_id);
  const done = await decide(run.run_id, label, work);
  if (!done) return false;
  noteDecision(run, { words, undo, neighbours });
  return true;
}

/** Each returns false if the decision does not apply, so that the browser handles the key. */
export function askGateOne(): boolean {
  const run = current('gate1');
  if (run?.state !== 'staged_raw') return false;
  const question = {
    title: 'Approve Gate 1?',
    content: (
      <>
        <Text as="p" of={run.title} class="what" />
        <ClaimNote run={run} />
        <p>
          Culprit analyses the repository’s history and writes a draft. You review the draft before anything
          is published.
        </p>
      </>
    ),
    confirm: 'Approve Gate 1',
  };
  const settled = { label: 'Approving', words: 'Approved Gate 1' };
  void ask(question).then(
    (yes) =>
      yes !== null &&
      settle(run, settled, () => api.approveGateOne({ run_id: run.run_id, prefer: 'respond-async' })),
  );
  return true;
}

export function askGateTwo(): boolean {
  const detail = shown.value;
  const draft = current('gate2')?.draft ?? null;
  if (detail?.run.state !== 'staged_draft' || draft === null || whyNotSign() !== null) return false;
  sign(detail, draft, null).catch(report);
  return true;
}

/** Asks again after a conflict, with the changes. */
async function sign(detail: Detail, draft: Draft, before: Draft | null): Promise<void> {
  const { run } = detail;
  const answer = await ask({
    title: before === null ? 'Sign and publish this draft?' : 'The draft has changed. Sign the new version?',
    content: (
      <>
        <ClaimNote run={run} />
        <SignReview detail={detail} draft={draft} before={before} />
      </>
    ),
    confirm: 'Sign and publish',
    wide: true,
    careful: true,
  });
  if (answer === null) return;
  // A form in which nothing was changed.
  stopEditing();
  let conflict = false;
  await settle(run, { label: 'Signing', words: 'Signed' }, async () => {
    try {
      await api.approveGateTwo({ run_id: run.run_id, if_match: draft.digest, prefer: 'respond-async' });
    } catch (error) {
      conflict = error instanceof ApiError && error.status === 412;
      throw error;
    }
  });
  if (!conflict) return;
  const now = await api.getRun({ run_id: run.run_id });
  if (now.state !== 'staged_draft' || now.draft === null) return;
  notice.value = null;
  await sign({ ...detail, run: now }, now.draft, draft);
}

export function askReject(): boolean {
  const atGateOne = shown.value?.run.state === 'staged_raw';
  const run = current(atGateOne ? 'gate1' : 'gate2');
  if (run?.state !== 'staged_raw' && run?.state !== 'staged_draft') return false;
  const question = {
    title: 'Reject this run?',
    content: (
      <>
        <Text as="p" of={run.title} class="what" />
        <ClaimNote run={run} />
        <p>New crashes with this fingerprint are counted, but do not start a new run for a while.</p>
      </>
    ),
    confirm: 'Reject',
    danger: true,
    reason: 'Reason, stored in the history',
  };
  const settled = { label: 'Rejecting', words: 'Rejected', undo: 'reopenRun' as const };
  void ask(question).then(
    (reason) =>
      reason !== null &&
      settle(run, settled, () =>
        atGateOne
          ? api.rejectGateOne({ run_id: run.run_id, reason })
          : api.rejectGateTwo({ run_id: run.run_id, reason, to: 'rejected' }),
      ),
  );
  return true;
}

/** Undoes the rejection, the merge or the mark as fixed of the run on the screen. */
export function askReopen(): boolean {
  const run = current(shown.value?.run.state === 'published' ? 'gate2' : 'gate1');
  if (run?.state === 'merged') {
    void decide(run.run_id, 'Splitting', () => api.splitRun({ run_id: run.run_id }));
    return true;
  }
  if (run?.state === 'published' && run.resolution?.by) {
    void askNotFixed(run);
    return true;
  }
  if (run?.state !== 'rejected') return false;
  void decide(run.run_id, 'Undoing', () => api.reopenRun({ run_id: run.run_id }));
  return true;
}

export function askBack(): boolean {
  const run = current('gate2');
  if (run?.state !== 'staged_draft') return false;
  const question = {
    title: 'Return this run to Gate 1?',
    content: <p>This discards the draft. Approving Gate 1 again writes a new one.</p>,
    confirm: 'Return to Gate 1',
    danger: true,
    reason: 'Reason, stored in the history',
  };
  const settled = { label: 'Returning to Gate 1', words: 'Returned to Gate 1' };
  void ask(question).then(
    (reason) =>
      reason !== null &&
      settle(run, settled, () => api.rejectGateTwo({ run_id: run.run_id, reason, to: 'staged_raw' })),
  );
  return true;
}

/** In a decision's dialog: another reviewer has claimed the run. */
function ClaimNote({ run }: { readonly run: Pick<Run, 'claim'> }) {
  const me = who.value;
  const claim = claimOf(run, Date.now());
  if (claim === null || (me !== null && me !== 'unknown' && claim.by === me.name)) return null;
  return (
    <p class="callout" data-tone="amber">
      <Text as="b" of={claim.by} /> has claimed this run. Your decision ends the claim.
    </p>
  );
}
