import { api } from '../api.js';
import { ask } from '../parts/dialog.js';
import { visible } from '../parts/text.js';
import { decide, deciding, editing, newer, opener, shown } from '../state/run.js';
import { who } from '../state/session.js';

/** Why Gate 2 cannot be signed by this reader now; `null`: it can. */
export function whyNotSign(): string | null {
  const me = who.value;
  if (editing.value) return 'Save or discard your edit first.';
  if (newer.value !== null) return 'This run was changed meanwhile; look at it first.';
  if (me === null || me === 'unknown') return 'Nobody is signed in.';
  if (me.rules.second_person && opener.value === me.name) {
    return 'You opened Gate 1 of this run, so another reviewer must sign.';
  }
  return null;
}

function current() {
  return deciding.value === null ? (shown.value?.run ?? null) : null;
}

/** Each says whether it asked, so that a key that means nothing here is left alone. */
export function askGateOne(): boolean {
  const run = current();
  if (run?.state !== 'staged_raw') return false;
  const question = {
    title: 'Open Gate 1?',
    content: (
      <>
        <p class="what untrusted">{visible(run.title)}</p>
        <p>
          The repository’s history is read and a draft is written. You see it before anything is published.
        </p>
      </>
    ),
    confirm: 'Open Gate 1',
  };
  void ask(question).then((yes) => yes !== null && decide('Analysing', (id) => api.approveGateOne(id)));
  return true;
}

export function askGateTwo(): boolean {
  const run = current();
  if (run?.state !== 'staged_draft' || run.draft === null || whyNotSign() !== null) return false;
  const { title, repository, digest } = run.draft;
  const question = {
    title: 'Sign and publish this draft?',
    content: (
      <>
        <p class="what untrusted">{visible(title)}</p>
        <p>
          One issue is created in <b class="untrusted">{visible(repository)}</b>. It cannot be taken back from
          here.
        </p>
        <p class="soft">
          You sign <code title={digest}>{digest.slice(0, 16)}</code>. If the draft was changed meanwhile,
          nothing happens.
        </p>
      </>
    ),
    confirm: 'Sign and publish',
  };
  void ask(question).then(
    (yes) => yes !== null && decide('Publishing', (id) => api.approveGateTwo(id, digest)),
  );
  return true;
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
        <p>The same crash stays quiet for a while. It is still counted.</p>
      </>
    ),
    confirm: 'Reject',
    danger: true,
    reason: 'Why? It is kept in the history.',
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
    title: 'Send this run back to Gate 1?',
    content: <p>The draft is dropped; the next opening of Gate 1 writes a new one.</p>,
    confirm: 'Send back',
    danger: true,
    reason: 'Why? It is kept in the history.',
  };
  void ask(question).then(
    (reason) =>
      reason !== null && decide('Sending back', (id) => api.rejectGateTwo(id, reason, 'staged_raw')),
  );
  return true;
}
