import type { RunSummary } from '@culprit/core/model';
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { plural, whole } from '../format.js';
import { advance, neighboursOf } from '../inbox/advance.js';
import { ask } from '../parts/dialog.js';
import { visible } from '../parts/text.js';
import { whyNotDecide } from '../run/decisions.js';
import { NO_SNOOZE, SnoozeChoice, untilOf } from '../run/snooze-choice.js';
import { route } from '../state/route.js';
import { canSnooze, type ManyAction, rejectMany, snoozeMany } from './actions.js';
import { startJob, working } from './job.js';
import { clearSelection, selectedRuns } from './selection.js';

/** Titles listed in a dialog. */
const LISTED = 5;

/** Why no decision on many runs is possible now; `null` if one is. */
export function whyNotMany(): string | null {
  return working.value ? 'Wait until the decisions before have been sent.' : whyNotDecide();
}

/** Each returns false if no run is selected, so that the key decides on the open run. */
export function askRejectMany(): boolean {
  const runs = selectedRuns.value;
  if (runs.length === 0) return false;
  if (whyNotMany() !== null) return true;
  const fit = runs.filter(rejectMany.applies);
  if (fit.length === 0) return true;
  const question = {
    title: `Reject ${plural(fit.length, 'run')}?`,
    content: (
      <WhichRuns runs={fit} others={runs.length - fit.length} not="rejected">
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
  const runs = selectedRuns.value;
  if (runs.length === 0) return false;
  if (whyNotMany() !== null) return true;
  const fit = runs.filter(canSnooze);
  if (fit.length === 0) return true;
  const form = signal(NO_SNOOZE);
  const question = {
    title: `Snooze ${plural(fit.length, 'run')}?`,
    content: (
      <>
        <WhichRuns runs={fit} others={runs.length - fit.length} not="snoozed">
          They leave the inbox, keep their gates and drafts, and return by themselves.
        </WhichRuns>
        <SnoozeChoice form={form} />
      </>
    ),
    confirm: `Snooze ${whole(fit.length)}`,
    focus: 'input:checked',
  };
  void ask(question).then((yes) => {
    const until = untilOf(form.value, new Date());
    if (yes === null || until === null) return undefined;
    return decideMany(snoozeMany(until), fit, form.value.reason.trim());
  });
  return true;
}

/** Sends the decisions, and then leads on from the open run, if it was one of them. */
export async function decideMany(
  action: ManyAction,
  runs: readonly RunSummary[],
  reason: string,
): Promise<void> {
  const open = route.value.page === 'run' ? route.value.id : null;
  const decided = new Set(runs.map(({ run_id }) => run_id));
  const neighbours = open === null ? [] : neighboursOf(open).filter(({ id }) => !decided.has(id));
  clearSelection();
  await startJob(action, runs, reason);
  if (open !== null && decided.has(open)) advance(open, neighbours);
}

interface WhichRunsProps {
  readonly runs: readonly RunSummary[];
  /** Selected runs that stay as they are. */
  readonly others: number;
  /** What does not happen to them. */
  readonly not: string;
  readonly children: ComponentChildren;
}

export function WhichRuns({ runs, others, not, children }: WhichRunsProps) {
  const drafts = runs.filter(({ state }) => state === 'staged_draft').length;
  return (
    <>
      <ul class="which">
        {runs.slice(0, LISTED).map(({ run_id, title }) => (
          <li key={run_id} class="untrusted">
            {visible(title)}
          </li>
        ))}
        {runs.length > LISTED && <li class="soft">and {whole(runs.length - LISTED)} more</li>}
      </ul>
      <p>
        {drafts > 0 &&
          `${whole(drafts)} of ${whole(runs.length)} ${drafts === 1 ? 'has' : 'have'} a draft at Gate 2. `}
        {children}
      </p>
      {others > 0 && (
        <p class="soft">
          {plural(others, 'selected run')} {others === 1 ? 'is' : 'are'} in progress and not {not}.
        </p>
      )}
    </>
  );
}
