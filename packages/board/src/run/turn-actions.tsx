import { ApiError } from '@culprit/client';
import type { Run } from '@culprit/core';
import { claimOf } from '@culprit/core/internal/domain/claim';
import { WAITING_STATES } from '@culprit/core/internal/domain/run';
import { signal } from '@preact/signals';
import { api } from '../api.js';
import { ago } from '../format.js';
import { ask } from '../parts/dialog.js';
import { Text } from '../parts/text.js';
import { decide } from '../state/run.js';
import { announcement, notice, who } from '../state/session.js';
import { current, settle } from './decisions.js';
import { NO_SNOOZE, SnoozeChoice, snoozeWords, untilOf } from './snooze-choice.js';

/** Each returns false if the action does not apply, so that the browser handles the key. */
export function askSnooze(): boolean {
  const run = current('comment');
  if (run === null || !(WAITING_STATES.includes(run.state) || run.state === 'snoozed')) return false;
  const form = signal(NO_SNOOZE);
  const question = {
    title: run.state === 'snoozed' ? 'Snooze this run for longer?' : 'Snooze this run?',
    content: (
      <>
        <Text as="p" of={run.title} class="what" />
        <p>It leaves the inbox, keeps its gate and its draft, and returns by itself.</p>
        <SnoozeChoice form={form} />
      </>
    ),
    confirm: 'Snooze',
    focus: 'input:checked',
  };
  void ask(question).then((yes) => (yes === null ? undefined : snooze(run)));
  return true;

  async function snooze(chosen: Run): Promise<void> {
    const until = untilOf(form.value, new Date());
    if (until === null) {
      notice.value = { tone: 'red', text: 'The run was not snoozed: choose a time or a number of crashes.' };
      return;
    }
    const words = `Snoozed ${snoozeWords({ until })}`;
    const reason = form.value.reason.trim();
    await settle(chosen, { label: 'Snoozing', words, undo: 'wakeRun' }, () =>
      api.snoozeRun({ run_id: chosen.run_id, until, reason: reason === '' ? undefined : reason }),
    );
  }
}

/** Ends the snooze of the run on the screen. */
export function askWake(): boolean {
  const run = current('comment');
  if (run?.state !== 'snoozed') return false;
  void decide(run.run_id, 'Waking', () => api.wakeRun({ run_id: run.run_id }));
  return true;
}

/** Claims the run, releases the reviewer's own claim, or asks whether to take over another one's. */
export function askClaim(): boolean {
  const run = current('comment');
  const me = who.value;
  if (run === null || me === null || me === 'unknown' || !WAITING_STATES.includes(run.state)) return false;
  const claim = claimOf(run, Date.now());
  if (claim?.by === me.name) {
    void decide(run.run_id, 'Releasing', () => api.releaseClaim({ run_id: run.run_id })).then((done) => {
      if (done) announcement.value = 'Claim released.';
    });
  } else if (claim === null) void claimRun(run);
  else void takeOver(run, claim);
  return true;
}

async function claimRun(run: Run): Promise<void> {
  let claimed = false;
  const done = await decide(run.run_id, 'Claiming', async () => {
    try {
      await api.claimRun({ run_id: run.run_id });
    } catch (error) {
      claimed = error instanceof ApiError && error.code === 'claimed';
      throw error;
    }
  });
  if (done) announcement.value = 'You have claimed this run.';
  if (!claimed) return;
  // Another reviewer was faster.
  const now = claimOf(await api.getRun({ run_id: run.run_id }), Date.now());
  notice.value = null;
  if (now !== null) await takeOver(run, now);
}

async function takeOver(run: Run, { by, at }: { readonly by: string; readonly at: string }): Promise<void> {
  const question = {
    title: 'Take over this run?',
    content: (
      <p>
        <Text as="b" of={by} /> claimed it {ago(at).replace('now', 'just now')}.
      </p>
    ),
    confirm: 'Take over',
  };
  if ((await ask(question)) === null) return;
  await decide(run.run_id, 'Claiming', () => api.claimRun({ run_id: run.run_id, take_over: true }));
}

/** Adds a comment to the run on the screen, in any state. */
export function askComment(): boolean {
  const run = current('comment');
  if (run === null) return false;
  const question = {
    title: 'Comment on this run',
    content: (
      <>
        <Text as="p" of={run.title} class="what" />
        <p>Other reviewers see it here and in chat. It is not published.</p>
      </>
    ),
    confirm: 'Comment',
    reason: 'Comment, stored in the history',
  };
  void ask(question).then(async (comment) => {
    if (comment === null) return;
    const done = await decide(run.run_id, 'Commenting', () =>
      api.commentOnRun({ run_id: run.run_id, comment }),
    );
    if (done) announcement.value = 'Comment added.';
  });
  return true;
}
