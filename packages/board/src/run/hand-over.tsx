import type { Problem } from '@culprit/client';
import type { Run } from '@culprit/core';
import { HAND_OFF_TARGETS, type HandOffTarget } from '@culprit/core/internal/domain/hand-off';
import { signal } from '@preact/signals';
import { api } from '../api.js';
import { exact } from '../format.js';
import { Radios } from '../parts/choices.js';
import { ask } from '../parts/dialog.js';
import { Scroller } from '../parts/scroller.js';
import { Out, Text } from '../parts/text.js';
import { When } from '../parts/when.js';
import type { Plan } from './action.js';

const CHOICES: Readonly<Record<HandOffTarget, string>> = {
  github: 'GitHub’s coding agent: it is assigned to the issue and reads its signed text',
  webhook: 'Webhooks with the event run.handed_off: they get the fix brief',
};
const DONE: Readonly<Record<HandOffTarget, string>> = {
  github: 'GitHub’s coding agent',
  webhook: 'webhooks',
};

/** Asks to whom. */
export async function planHandOver(run: Run): Promise<Plan | null> {
  const open = HAND_OFF_TARGETS.filter((target) => stateOf(run, target) !== 'done');
  const choice = signal<HandOffTarget>(open[0] ?? 'github');
  const options = HAND_OFF_TARGETS.map((value) => {
    const disabled = !open.includes(value);
    return { value, disabled, label: `${CHOICES[value]}${disabled ? ' (done)' : ''}` };
  });
  const answer = await ask({
    title: 'Hand over?',
    content: (
      <>
        <Text as="p" of={run.title} class="what" />
        <Radios legend="To whom" chosen={choice} options={options} />
        <p class="soft">A run can be handed over once to each target. Culprit does not open pull requests.</p>
      </>
    ),
    confirm: 'Hand over',
    focus: 'input:checked',
  });
  return answer === null || open.length === 0 ? null : planTo(run, choice.value);
}

/** `comments`: those that the reviewer is asked to confirm. */
function planTo(run: Run, to: HandOffTarget, comments: Comments | null = null): Plan {
  return {
    ...(comments !== null && {
      question: {
        title: 'Have you read the comments?',
        content: <CommentList run={run} comments={comments} />,
        confirm: 'I have read them, hand over',
        careful: true,
      },
    }),
    doing: 'Handing over',
    done: 'Handed over',
    send: ({ run_id }) =>
      api.handOffRun({ run_id, to, if_match: run.publication?.digest ?? '', comments: comments?.digest }),
    refused: {
      code: 'comments_unconfirmed',
      plan: async ({ problem }) => (problem?.comments ? planTo(run, to, problem.comments) : null),
    },
  };
}

/** What the agent reads besides the signed text. */
type Comments = NonNullable<Problem['comments']>;

interface CommentListProps {
  readonly run: Run;
  readonly comments: Comments;
}

function CommentList({ run, comments: { count, entries } }: CommentListProps) {
  return (
    <Scroller class="comments stack" label="Comments">
      <p>
        The agent also reads {count === 1 ? 'a comment' : `${count} comments`} on the issue, which nobody
        signed: <Out to={run.publication?.issue_url ?? null}>read them</Out>.
      </p>
      <ul>
        {entries.map(({ url, by, at }) => (
          <li key={url}>
            <Text of={by} />, <When iso={at}>{exact(at)}</When>
          </li>
        ))}
      </ul>
    </Scroller>
  );
}

/** To whom the run was handed, and what failed. */
export function HandedOver({ run: { hand_offs = [] } }: { readonly run: Run }) {
  return (
    <>
      {hand_offs.map(({ to, by, state, error }) => (
        <span key={to}>
          {state === 'done' ? ' Handed to ' : state === 'failed' ? ' Not handed to ' : ' Being handed to '}
          {DONE[to]} by <Text of={by} />.{error !== null && <Text of={` ${error.detail}`} />}
        </span>
      ))}
    </>
  );
}

function stateOf({ hand_offs = [] }: Run, target: HandOffTarget) {
  return hand_offs.find(({ to }) => to === target)?.state ?? null;
}
