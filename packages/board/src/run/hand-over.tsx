import { ApiError, type Problem } from '@culprit/client';
import type { Run } from '@culprit/core';
import { HAND_OFF_TARGETS, type HandOffTarget } from '@culprit/core/internal/domain/hand-off';
import { type Signal, signal } from '@preact/signals';
import { api } from '../api.js';
import { exact } from '../format.js';
import { ask } from '../parts/dialog.js';
import { Scroller } from '../parts/scroller.js';
import { Out, Text, visible } from '../parts/text.js';
import { decide } from '../state/run.js';
import { current } from './decisions.js';

const CHOICES: Readonly<Record<HandOffTarget, string>> = {
  github: 'GitHub’s coding agent: it is assigned to the issue and reads its signed text',
  webhook: 'Webhooks with the event run.handed_off: they get the fix brief',
};
const DONE: Readonly<Record<HandOffTarget, string>> = {
  github: 'GitHub’s coding agent',
  webhook: 'webhooks',
};

/** Hands the published run on the screen over. */
export function askHandOver(): boolean {
  const run = current('gate2');
  if (run?.state !== 'published' || run.publication === null) return false;
  void handOver(run, run.publication.digest);
  return true;
}

async function handOver(run: Run, digest: string): Promise<void> {
  const open = HAND_OFF_TARGETS.filter((target) => stateOf(run, target) !== 'done');
  const choice = signal<HandOffTarget>(open[0] ?? 'github');
  const answer = await ask({
    title: 'Hand over?',
    content: (
      <>
        <Text as="p" of={run.title} class="what" />
        <TargetChoice run={run} choice={choice} />
        <p class="soft">Once for each target. Culprit opens no pull request.</p>
      </>
    ),
    confirm: 'Hand over',
    focus: 'input:checked',
  });
  if (answer === null || open.length === 0) return;
  await send(run, digest, choice.value);
}

/** `comments`: the digest of those that the reviewer has confirmed. */
async function send(run: Run, digest: string, to: HandOffTarget, comments?: string): Promise<void> {
  const unread: Comments[] = [];
  await decide(run.run_id, 'Handing over', async () => {
    try {
      await api.handOffRun({ run_id: run.run_id, to, if_match: digest, comments });
    } catch (error) {
      const found = unconfirmed(error);
      if (found === null) throw error;
      unread.push(found);
    }
  });
  const [found] = unread;
  if (found === undefined) return;
  const answer = await ask({
    title: 'Have you read the comments?',
    content: <CommentList run={run} comments={found} />,
    confirm: 'I have read them, hand over',
    careful: true,
  });
  if (answer !== null) await send(run, digest, to, found.digest);
}

/** What the agent reads besides the signed text. */
type Comments = NonNullable<Problem['comments']>;

function unconfirmed(error: unknown): Comments | null {
  if (!(error instanceof ApiError) || error.code !== 'comments_unconfirmed') return null;
  return error.problem?.comments ?? null;
}

interface CommentListProps {
  readonly run: Run;
  readonly comments: Comments;
}

function CommentList({ run, comments: { count, entries } }: CommentListProps) {
  return (
    <Scroller class="comments" label="Comments">
      <p>
        The agent also reads {count === 1 ? 'a comment' : `${count} comments`} on the issue, which nobody
        signed: <Out to={run.publication?.issue_url ?? null}>read them</Out>.
      </p>
      <ul>
        {entries.map(({ url, by, at }) => (
          <li key={url}>
            <Text of={by} />, <time dateTime={at}>{exact(at)}</time>
          </li>
        ))}
      </ul>
    </Scroller>
  );
}

interface TargetChoiceProps {
  readonly run: Run;
  readonly choice: Signal<HandOffTarget>;
}

function TargetChoice({ run, choice }: TargetChoiceProps) {
  return (
    <fieldset class="choice">
      <legend class="sr">To whom</legend>
      {HAND_OFF_TARGETS.map((target) => {
        const done = stateOf(run, target) === 'done';
        return (
          <div key={target}>
            <label>
              <input
                type="radio"
                name="hand-over"
                value={target}
                disabled={done}
                checked={choice.value === target}
                onChange={() => {
                  choice.value = target;
                }}
              />
              <span>
                {CHOICES[target]}
                {done && ' (done)'}
              </span>
            </label>
          </div>
        );
      })}
    </fieldset>
  );
}

/** To whom the run was handed, and what failed. */
export function HandedOver({ run: { hand_offs = [] } }: { readonly run: Run }) {
  return (
    <>
      {hand_offs.map(({ to, by, state, error }) => (
        <span key={to}>
          {state === 'done' ? ' Handed to ' : state === 'failed' ? ' Not handed to ' : ' Being handed to '}
          {DONE[to]} by <Text of={by} />.
          {error !== null && <span class="untrusted"> {visible(error.detail)}</span>}
        </span>
      ))}
    </>
  );
}

function stateOf({ hand_offs = [] }: Run, target: HandOffTarget) {
  return hand_offs.find(({ to }) => to === target)?.state ?? null;
}
