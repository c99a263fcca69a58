import type { Run } from '@culprit/core';
import type { FixedIn, IssueEffect } from '@culprit/core/internal/domain/resolution';
import { type Signal, signal } from '@preact/signals';
import { api } from '../api.js';
import { ask } from '../parts/dialog.js';
import { Text } from '../parts/text.js';
import { decide } from '../state/run.js';
import { report } from '../state/session.js';
import { current } from './decisions.js';
import { Effect } from './not-fixed.js';

const CHOICES = {
  now: 'The next crash is a regression',
  next_release: 'The next release has the fix: crashes of the releases seen so far are only counted',
} as const;
type Choice = keyof typeof CHOICES;

/** Marks the run on the screen as fixed, or tries the change of its issue again. */
export function askFixed(): boolean {
  const run = current('gate2');
  if (run?.state !== 'published') return false;
  if (run.resolution) {
    if (run.follow_up?.state !== 'failed') return false;
    void decide(run.run_id, 'Trying again', () => api.resolveRun({ run_id: run.run_id }));
    return true;
  }
  void mark(run);
  return true;
}

async function mark(run: Run): Promise<void> {
  const asked = [{}, { next_release: true }].map((fixedIn) =>
    api.getResolutionEffect({ run_id: run.run_id, ...fixedIn }),
  );
  const [now, next_release] = (await Promise.all(asked).catch(report)) ?? [];
  if (!now || !next_release) return;
  const effects = { now, next_release };
  const choice = signal<Choice>('now');
  const question = {
    title: 'Mark as fixed?',
    content: (
      <>
        <Text as="p" of={run.title} class="what" />
        <FixedChoice run={run} choice={choice} effects={effects} />
      </>
    ),
    confirm: 'Mark as fixed',
    focus: 'input:checked',
  };
  if ((await ask(question)) === null) return;
  const fixedIn: FixedIn = choice.value === 'now' ? {} : { next_release: true };
  await decide(run.run_id, 'Marking as fixed', () => api.resolveRun({ run_id: run.run_id, ...fixedIn }));
}

interface FixedChoiceProps {
  readonly run: Run;
  readonly choice: Signal<Choice>;
  readonly effects: Readonly<Record<Choice, IssueEffect>>;
}

/** Which crashes are a regression, and what happens to the issue. */
function FixedChoice({ run, choice, effects }: FixedChoiceProps) {
  return (
    <>
      <fieldset class="choice">
        <legend class="sr">Which crashes are a regression</legend>
        {Object.entries(CHOICES).map(([name, label]) => (
          <div key={name}>
            <label>
              <input
                type="radio"
                name="fixed"
                value={name}
                checked={choice.value === name}
                onChange={() => {
                  choice.value = name as Choice;
                }}
              />
              <span>{label}</span>
            </label>
          </div>
        ))}
      </fieldset>
      <Effect run={run} effect={effects[choice.value]} />
    </>
  );
}
