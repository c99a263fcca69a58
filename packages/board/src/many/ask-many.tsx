import type { RunSummary } from '@culprit/core';
import type { Scope } from '@culprit/core/internal/domain/access';
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { plural, whole } from '../format.js';
import { waits } from '../inbox/select.js';
import { ask } from '../parts/dialog.js';
import { Text } from '../parts/text.js';
import { whyNotIn, whyNow } from '../run/decisions.js';
import { NO_SNOOZE, SnoozeChoice, untilOf } from '../run/snooze-choice.js';
import { may, notice } from '../state/session.js';
import { claimMany, type ManyAction, rejectMany, snoozeMany } from './actions.js';
import { startJob, working } from './job.js';
import { clearSelection, selectedRuns } from './selection.js';

/** Titles listed in a dialog. */
const LISTED = 5;

/** Why no decision on many runs that needs this scope is possible now; `null` if one is. */
export function whyNotMany(scope: Scope): string | null {
  if (working.value) return 'Wait until the decisions before have been sent.';
  const runs = selectedRuns.value;
  const why = whyNow();
  if (why !== null || runs.some(({ project }) => may(scope, project))) return why;
  return whyNotIn(scope, runs[0]?.project);
}

interface Chosen {
  readonly fit: readonly RunSummary[];
  /** Selected runs that the action does not apply to. */
  readonly others: number;
  /** Selected runs of projects in which the reader's role does not include it. */
  readonly barred: number;
}

/** `null` if no run is selected, so that the key decides on the open run. */
function chosenRuns(scope: Scope, fits: (run: RunSummary) => boolean = waits): Chosen | null {
  const runs = selectedRuns.value;
  if (runs.length === 0) return null;
  const own = whyNotMany(scope) === null ? runs.filter(({ project }) => may(scope, project)) : [];
  const fit = own.filter(fits);
  return { fit, others: own.length - fit.length, barred: runs.length - own.length };
}

/** Each returns false if no run is selected. */
export function askRejectMany(): boolean {
  const chosen = chosenRuns('gate1');
  if (chosen === null || chosen.fit.length === 0) return chosen !== null;
  const { fit } = chosen;
  const question = {
    title: `Reject ${plural(fit.length, 'run')}?`,
    content: (
      <WhichRuns {...chosen}>
        New crashes with these fingerprints are counted, but do not start a new run for a while.
      </WhichRuns>
    ),
    confirm: `Reject ${whole(fit.length)}`,
    danger: true,
    reason: 'Reason, stored in the history of each run',
  };
  void ask(question).then((reason) => (reason === null ? undefined : decideMany(rejectMany, fit, reason)));
  return true;
}

export function askSnoozeMany(): boolean {
  const chosen = chosenRuns('comment', (run) => waits(run) || run.state === 'snoozed');
  if (chosen === null || chosen.fit.length === 0) return chosen !== null;
  const { fit } = chosen;
  const form = signal(NO_SNOOZE);
  const question = {
    title: `Snooze ${plural(fit.length, 'run')}?`,
    content: (
      <WhichRuns {...chosen}>
        They leave the inbox, keep their gates and drafts, and return by themselves.
        <SnoozeChoice form={form} />
      </WhichRuns>
    ),
    confirm: `Snooze ${whole(fit.length)}`,
    focus: 'input:checked',
  };
  void ask(question).then((yes) => {
    const until = yes === null ? null : untilOf(form.value, new Date());
    if (until !== null) return decideMany(snoozeMany(until), fit, form.value.reason.trim());
    if (yes !== null) notice.value = { tone: 'red', text: 'Choose a time or a number of crashes.' };
    return undefined;
  });
  return true;
}

/** Asks nothing: a claim keeps nobody from deciding, and is undone with one key. */
export function claimSelected(): boolean {
  const chosen = chosenRuns('comment');
  if (chosen === null || chosen.fit.length === 0) return chosen !== null;
  void decideMany(claimMany, chosen.fit, '');
  return true;
}

/** Sends the decisions. */
export async function decideMany(
  action: ManyAction,
  runs: readonly RunSummary[],
  reason: string,
): Promise<void> {
  clearSelection();
  await startJob(action, runs, reason);
}

interface WhichRunsProps extends Chosen {
  /** What the decision does. */
  readonly children: ComponentChildren;
}

function WhichRuns({ fit, others, barred, children }: WhichRunsProps) {
  const drafts = fit.filter(({ state }) => state === 'staged_draft').length;
  return (
    <>
      <ul class="which">
        {fit.slice(0, LISTED).map(({ run_id, title }) => (
          <Text as="li" of={title} key={run_id} />
        ))}
        {fit.length > LISTED && <li class="soft">and {whole(fit.length - LISTED)} more</li>}
      </ul>
      {drafts > 0 && (
        <p>
          {whole(drafts)} of {whole(fit.length)} {drafts === 1 ? 'has' : 'have'} a draft at Gate 2.
        </p>
      )}
      <div>{children}</div>
      {others > 0 && (
        <p class="soft">
          {plural(others, 'selected run')} {others === 1 ? 'waits' : 'wait'} at no gate and{' '}
          {others === 1 ? 'is' : 'are'} not changed.
        </p>
      )}
      {barred > 0 && (
        <p class="soft">
          Your role does not include this in the projects of {plural(barred, 'selected run')}, so{' '}
          {barred === 1 ? 'it is' : 'they are'} not changed.
        </p>
      )}
    </>
  );
}
