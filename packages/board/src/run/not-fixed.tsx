import type { Run } from '@culprit/core';
import { effectText, type IssueEffect } from '@culprit/core/internal/domain/resolution';
import { api } from '../api.js';
import { ask } from '../parts/dialog.js';
import { Out, Text, visible } from '../parts/text.js';
import { decide } from '../state/run.js';
import { report } from '../state/session.js';

interface EffectProps {
  readonly run: Run;
  readonly effect: IssueEffect;
}

/** What a decision will do on the outside, with the comment's text. */
export function Effect({ run: { publication }, effect }: EffectProps) {
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
      {effect.comment !== null && <p class="what">{visible(effect.comment)}</p>}
    </>
  );
}

/** Undoes the mark as fixed, after showing what that does to the issue. */
export async function askNotFixed(run: Run): Promise<void> {
  const effect = await api.getResolutionEffect({ run_id: run.run_id }).catch(report);
  if (!effect) return;
  const question = {
    title: 'Not fixed after all?',
    content: (
      <>
        <Text as="p" of={run.title} class="what" />
        <p>Crashes are counted on this run again.</p>
        <Effect run={run} effect={effect} />
      </>
    ),
    confirm: 'Undo the mark',
  };
  if ((await ask(question)) !== null)
    await decide(run.run_id, 'Undoing', () => api.unresolveRun({ run_id: run.run_id }));
}
