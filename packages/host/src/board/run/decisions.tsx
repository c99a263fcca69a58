import type { Draft } from '@culprit/core/model';
import { ApiError } from '../../client/api-error.js';
import { api } from '../api.js';
import { SignReview } from '../draft/sign-review.js';
import { ask } from '../parts/dialog.js';
import { visible } from '../parts/text.js';
import { outOfDate } from '../state/feed.js';
import { type Detail, decide, deciding, editing, gateOneReviewer, newer, shown } from '../state/run.js';
import { notice, report, who } from '../state/session.js';

/** Why no decision is possible now; `null` if one is. */
export function whyNotDecide(): string | null {
  return outOfDate.value === null
    ? null
    : `${outOfDate.value} Decisions are disabled until it is live again.`;
}

/** Why this reviewer cannot sign Gate 2 now; `null` if they can. */
export function whyNotSign(): string | null {
  const me = who.value;
  const why = whyNotDecide();
  if (why !== null) return why;
  if (editing.value) return 'Save or discard your edit first.';
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

function current() {
  return deciding.value === null && whyNotDecide() === null ? (shown.value?.run ?? null) : null;
}

/** Each returns false if the decision does not apply, so that the browser handles the key. */
export function askGateOne(): boolean {
  const run = current();
  if (run?.state !== 'staged_raw') return false;
  const question = {
    title: 'Approve Gate 1?',
    content: (
      <>
        <p class="what untrusted">{visible(run.title)}</p>
        <p>
          Culprit analyses the repository’s history and writes a draft. You review the draft before anything
          is published.
        </p>
      </>
    ),
    confirm: 'Approve Gate 1',
  };
  void ask(question).then((yes) => yes !== null && decide('Analysing', (id) => api.approveGateOne(id)));
  return true;
}

export function askGateTwo(): boolean {
  const detail = shown.value;
  const draft = current()?.draft ?? null;
  if (detail?.run.state !== 'staged_draft' || draft === null || whyNotSign() !== null) return false;
  sign(detail, draft, null).catch(report);
  return true;
}

/** Asks again after a conflict, with the changes. */
async function sign(detail: Detail, draft: Draft, before: Draft | null): Promise<void> {
  const answer = await ask({
    title: before === null ? 'Sign and publish this draft?' : 'The draft has changed. Sign the new version?',
    content: <SignReview detail={detail} draft={draft} before={before} />,
    confirm: 'Sign and publish',
    wide: true,
    careful: before !== null,
  });
  if (answer === null) return;
  let conflict = false;
  await decide('Publishing', async (id) => {
    try {
      await api.approveGateTwo(id, draft.digest);
    } catch (error) {
      conflict = error instanceof ApiError && error.status === 412;
      throw error;
    }
  });
  if (!conflict) return;
  const run = await api.run(detail.run.run_id);
  if (run.state !== 'staged_draft' || run.draft === null) return;
  notice.value = null;
  await sign({ ...detail, run }, run.draft, draft);
}

export function askReject(): boolean {
  const run = current();
  if (run?.state !== 'staged_raw' && run?.state !== 'staged_draft') return false;
  const atGateOne = run.state === 'staged_raw';
  const question = {
    title: 'Reject this run?',
    content: (
      <>
        <p class="what untrusted">{visible(run.title)}</p>
        <p>New crashes with this fingerprint are counted, but do not start a new run for a while.</p>
      </>
    ),
    confirm: 'Reject',
    danger: true,
    reason: 'Reason, stored in the history',
  };
  void ask(question).then(
    (reason) =>
      reason !== null &&
      decide('Rejecting', (id) =>
        atGateOne ? api.rejectGateOne(id, reason) : api.rejectGateTwo(id, reason, 'rejected'),
      ),
  );
  return true;
}

export function askBack(): boolean {
  const run = current();
  if (run?.state !== 'staged_draft') return false;
  const question = {
    title: 'Return this run to Gate 1?',
    content: <p>This discards the draft. Approving Gate 1 again writes a new one.</p>,
    confirm: 'Return to Gate 1',
    danger: true,
    reason: 'Reason, stored in the history',
  };
  void ask(question).then(
    (reason) =>
      reason !== null && decide('Returning to Gate 1', (id) => api.rejectGateTwo(id, reason, 'staged_raw')),
  );
  return true;
}
