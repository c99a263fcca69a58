import type { Run } from '@culprit/core';
import { effectText, type IssueEffect } from '@culprit/core/internal/domain/resolution';
import { type Signal, signal } from '@preact/signals';
import { api } from '../api.js';
import { Radios } from '../parts/choices.js';
import { Out, Text } from '../parts/text.js';
import type { Plan } from './action.js';

const CHOICES = {
  now: 'The next crash is a regression',
  next_release: 'The next release has the fix: crashes of the releases seen so far are only counted',
} as const;
type Choice = keyof typeof CHOICES;

/** Marks the run as fixed, after showing what that does to the issue, or tries the change of its issue again. */
export async function planFixed(run: Run): Promise<Plan | null> {
  const { run_id } = run;
  if (run.resolution)
    return { doing: 'Trying again', done: 'Tried again', send: () => api.resolveRun({ run_id }) };
  const [now, next_release] = await Promise.all([
    api.getResolutionEffect({ run_id }),
    api.getResolutionEffect({ run_id, next_release: true }),
  ]);
  const choice = signal<Choice>('now');
  const question = {
    title: 'Mark as fixed?',
    content: (
      <>
        <Text as="p" of={run.title} class="what" />
        <FixedChoice run={run} choice={choice} effects={{ now, next_release }} />
      </>
    ),
    confirm: 'Mark as fixed',
    focus: 'input:checked',
  };
  return {
    question,
    doing: 'Marking as fixed',
    done: 'Marked as fixed',
    send: () => api.resolveRun({ run_id, ...(choice.value === 'now' ? {} : { next_release: true }) }),
  };
}

interface FixedChoiceProps {
  readonly run: Run;
  readonly choice: Signal<Choice>;
  readonly effects: Readonly<Record<Choice, IssueEffect>>;
}

/** Which crashes are a regression, and what happens to the issue. */
function FixedChoice({ run, choice, effects }: FixedChoiceProps) {
  const options = (Object.keys(CHOICES) as Choice[]).map((value) => ({ value, label: CHOICES[value] }));
  return (
    <>
      <Radios legend="Which crashes are a regression" chosen={choice} options={options} />
      <Effect run={run} effect={effects[choice.value]} />
    </>
  );
}

/** Undoes the mark as fixed, after showing what that does to the issue. */
export async function planNotFixed(run: Run): Promise<Plan> {
  const { run_id } = run;
  const effect = await api.getResolutionEffect({ run_id });
  return {
    question: {
      title: 'Not fixed after all?',
      content: (
        <>
          <Text as="p" of={run.title} class="what" />
          <p>Crashes are counted on this run again.</p>
          <Effect run={run} effect={effect} />
        </>
      ),
      confirm: 'Undo the mark',
    },
    doing: 'Undoing',
    done: 'Mark as fixed undone',
    send: () => api.unresolveRun({ run_id }),
  };
}

interface EffectProps {
  readonly run: Run;
  readonly effect: IssueEffect;
}

/** What a decision will do on the outside, with the comment's text. */
function Effect({ run: { publication }, effect }: EffectProps) {
  const words = effectText(effect);
  const { issue_url = null, number = 0 } = publication ?? {};
  return (
    <>
      <p>
        {words === null ? (
          <>
            <Out to={issue_url}>Issue #{number}</Out> stays as it is.
          </>
        ) : (
          <>
            On <Out to={issue_url}>issue #{number}</Out>, Culprit {words}
            {effect.comment === null ? '.' : ':'}
          </>
        )}
      </p>
      {effect.comment !== null && <Text as="p" of={effect.comment} class="what" />}
    </>
  );
}
