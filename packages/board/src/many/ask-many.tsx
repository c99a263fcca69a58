import type { RunSummary } from '@culprit/core';
import type { ComponentChildren } from 'preact';
import { plural, whole } from '../format.js';
import { ask } from '../parts/dialog.js';
import { Text } from '../parts/text.js';
import { type ManyAction, type QuestionOf, whyNotIn, whyNow } from '../run/action.js';
import { may, report } from '../state/session.js';
import { startJob, working } from './job.js';
import { clearSelection, selectedRuns } from './selection.js';

/** Titles listed in a dialog. */
const LISTED = 5;

/** Whether the reader's role includes the action on the run. */
function includes({ scope }: ManyAction, run: RunSummary): boolean {
  return may(scope(run), run.project);
}

/** Why the action is possible on none of the selected runs now; `null` if it is on one. */
export function whyNotMany(many: ManyAction): string | null {
  if (working.value) return 'Wait until the previous decisions have been sent.';
  const runs = selectedRuns.value;
  const why = whyNow();
  if (why !== null || runs.some((run) => includes(many, run))) return why;
  return whyNotIn(many.scope(runs[0] ?? { state: 'staged_raw' }), runs[0]?.project);
}

interface Chosen {
  readonly fit: readonly RunSummary[];
  /** Selected runs that the action does not apply to. */
  readonly others: number;
  /** Selected runs on which the reader's role does not include it. */
  readonly barred: number;
}

/** `null` if no run is selected, so that the key decides on the open run. */
function chosenRuns(many: ManyAction): Chosen | null {
  const runs = selectedRuns.value;
  if (runs.length === 0) return null;
  const own = whyNotMany(many) === null ? runs.filter((run) => includes(many, run)) : [];
  const fit = own.filter(many.fits);
  return { fit, others: own.length - fit.length, barred: runs.length - own.length };
}

/** Whether the action applies to a selected run. */
export function appliesToMany(many: ManyAction): boolean {
  return (chosenRuns(many)?.fit.length ?? 0) > 0;
}

/** Begins the action on the selected runs. Returns false if none is selected. */
export function startMany(many: ManyAction): boolean {
  const chosen = chosenRuns(many);
  if (chosen === null || chosen.fit.length === 0) return chosen !== null;
  const { fit } = chosen;
  const { label } = many;
  const question: QuestionOf = (says) => ({
    title: `${label} ${plural(fit.length, 'run')}?`,
    content: <WhichRuns {...chosen}>{says}</WhichRuns>,
    confirm: `${label} ${whole(fit.length)}`,
  });
  Promise.resolve(many.plan(question))
    .then(async (plan) => {
      if (plan === null) return;
      const text = plan.question === undefined ? '' : await ask(plan.question);
      if (text === null) return;
      clearSelection();
      await startJob(plan, fit, text);
    })
    .catch(report);
  return true;
}

interface WhichRunsProps extends Chosen {
  /** What the decision does. */
  readonly children: ComponentChildren;
}

function WhichRuns({ fit, others, barred, children }: WhichRunsProps) {
  const drafts = fit.filter(({ state }) => state === 'staged_draft').length;
  return (
    <>
      <ul class="stack">
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
          This does not apply to {plural(others, 'selected run')}, so {others === 1 ? 'it is' : 'they are'}{' '}
          not changed.
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
