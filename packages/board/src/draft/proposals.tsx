import type { Answer } from '@culprit/client';
import type { Run } from '@culprit/core';
import type { Draft } from '@culprit/core/connector';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { ago, exact } from '../format.js';
import { visible } from '../parts/text.js';
import { whyNotDecide } from '../run/decisions.js';
import { clock } from '../state/clock.js';
import { announcement, report } from '../state/session.js';
import { change, startEditing } from './editor-state.js';

type Proposal = Answer<'listProposals'>['proposals'][number];

interface ProposalsProps {
  readonly run: Run;
  readonly draft: Draft;
}

/** What others, such as a coding agent, propose as the text of the draft. Absent if there is nothing. */
export function Proposals({ run, draft }: ProposalsProps) {
  const proposals = useSignal<readonly Proposal[]>([]);
  const waits = run.state === 'staged_draft';
  const read = async () => {
    try {
      proposals.value = waits ? (await api.listProposals({ run_id: run.run_id })).proposals : [];
    } catch (error) {
      report(error);
    }
  };
  // A proposal comes with a comment, which changes the run.
  useEffect(() => void read(), [run.run_id, run.version, waits]);
  if (!waits || proposals.value.length === 0) return null;
  const off = whyNotDecide('gate2') !== null;
  const dismiss = async (id: string) => {
    try {
      await api.dismissProposal({ run_id: run.run_id, proposal_id: id });
      announcement.value = 'Dismissed.';
    } catch (error) {
      report(error);
    }
    await read();
  };
  const use = ({ title, body }: Proposal) => {
    if (startEditing()) change(draft.reopens === undefined ? { title, body } : { body });
  };
  return (
    <ul class="proposals" aria-label="Proposed changes of the draft">
      {proposals.value.map((one) => (
        <li key={one.id} class="callout" data-tone="violet">
          <p>
            <b class="untrusted">{visible(one.token ?? one.by)}</b>
            {one.token !== null && (
              <span class="soft">
                , a token of <span class="untrusted">{visible(one.by)}</span>,
              </span>
            )}{' '}
            proposes a change of this draft{' '}
            <time class="soft" dateTime={one.at} title={exact(one.at)}>
              {ago(one.at, clock.value)}
            </time>
            {one.digest !== draft.digest && <b> It was made from an earlier draft.</b>}
          </p>
          {one.note !== '' && <q class="untrusted">{visible(one.note)}</q>}
          <details>
            <summary>Read it</summary>
            <p>
              <b class="untrusted">{visible(one.title)}</b>
            </p>
            <pre class="untrusted">{visible(one.body)}</pre>
          </details>
          <p class="actions">
            <button type="button" class="button small" disabled={off} onClick={() => use(one)}>
              Open it in the editor
            </button>
            <button type="button" class="button small" disabled={off} onClick={() => void dismiss(one.id)}>
              Dismiss
            </button>
          </p>
        </li>
      ))}
    </ul>
  );
}
