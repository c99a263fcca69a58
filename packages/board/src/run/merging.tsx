import type { Run } from '@culprit/core';
import { MERGE_REFUSALS, mergeRefusal } from '@culprit/core/internal/domain/merge';
import { api } from '../api.js';
import { plural } from '../format.js';
import { ask } from '../parts/dialog.js';
import { visible } from '../parts/text.js';
import { notice, report } from '../state/session.js';
import { current, settle } from './decisions.js';
import { chosenOf, MergeChoice, mergeForm } from './merge-choice.js';

/** Asks for the other run, then names both and what will happen. */
export function askMerge(): boolean {
  const run = current('gate1');
  if (run?.state !== 'staged_raw' && run?.state !== 'staged_draft') return false;
  merge(run).catch(report);
  return true;
}

async function merge(run: Run): Promise<void> {
  const form = mergeForm(run);
  const given = await ask({
    title: 'Merge this run into another one?',
    content: (
      <>
        <p class="what untrusted">{visible(run.title)}</p>
        <MergeChoice run={run} form={form} />
      </>
    ),
    confirm: 'Continue',
    focus: '#merge-into',
  });
  const chosen = chosenOf(form.value);
  if (given === null || chosen === null) return;
  const into = await api.getRun({ run_id: chosen.run_id });
  const refusal = mergeRefusal(run, into);
  if (refusal !== null) {
    notice.value = { tone: 'red', text: `Not merged. ${MERGE_REFUSALS[refusal]}` };
    return;
  }
  const answer = await ask({
    title: 'Merge these runs?',
    content: <WhatHappens run={run} into={into} />,
    confirm: 'Merge',
  });
  if (answer === null) return;
  const settled = { label: 'Merging', words: 'Merged', undo: 'splitRun' } as const;
  await settle(run, settled, () => api.mergeRun({ run_id: run.run_id, into: into.run_id }));
}

function WhatHappens({ run, into }: { readonly run: Run; readonly into: Run }) {
  return (
    <>
      <p class="what untrusted">{visible(run.title)}</p>
      <p>
        Its {plural(run.occurrences, 'crash', 'crashes')}, and the next ones, count on the run below. It stays
        readable and leaves the inbox.
      </p>
      <p class="what untrusted">{visible(into.title)}</p>
      <p>
        This run has {plural(into.occurrences, 'crash', 'crashes')} and keeps its draft. You can split the
        runs again.
      </p>
    </>
  );
}
