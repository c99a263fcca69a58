import type { HistoryEntry, Run } from '@culprit/core';
import { claimOf } from '@culprit/core/internal/domain/claim';
import { wokenText } from '@culprit/core/internal/domain/snooze';
import { ago, exact, plural } from '../format.js';
import { waits } from '../inbox/select.js';
import { Part } from '../parts/part.js';
import { Text } from '../parts/text.js';
import { When } from '../parts/when.js';
import { clock } from '../state/clock.js';
import { myName } from '../state/session.js';
import { ActionButtons } from './action.js';
import { ALL_ACTIONS } from './actions.js';
import { jump } from './jump.js';

/** Who looks at the run, whether a model investigates it, why it is back from a snooze, and what a reviewer can do besides deciding. */
export function Turns({ run }: { readonly run: Run }) {
  const claim = claimOf(run, clock.value);
  const mine = claim !== null && claim.by === myName();
  const { woken, investigation } = run;
  return (
    <>
      {woken && (
        <p class="callout" data-tone="amber">
          <b>Back from a snooze.</b> <Text of={wokenText(woken)} /> <When iso={woken.at} class="soft" />
        </p>
      )}
      <div class="turns flow">
        {claim !== null && waits(run) && (
          <p class="claimed" data-mine={mine ? '' : undefined}>
            <Text of={mine ? 'You have' : `${claim.by} has`} /> claimed this run ·{' '}
            <time class="soft" dateTime={claim.at} title={`until ${exact(claim.until)}`}>
              {ago(claim.at, clock.value)}
            </time>
          </p>
        )}
        {investigation?.state === 'running' && (
          <button type="button" class="chip" onClick={() => jump('investigation')}>
            Investigating: {plural(investigation.questions, 'question')}
          </button>
        )}
        <ActionButtons actions={ALL_ACTIONS} run={run} place="turns" />
      </div>
    </>
  );
}

/** The reviewers' comments, oldest first. The timeline has them, too, between the decisions. */
export function Comments({ history }: { readonly history: readonly HistoryEntry[] }) {
  const comments = history.filter(({ name }) => name === 'comment');
  if (comments.length === 0) return null;
  return (
    <Part id="comments" title="Comments" note="not published">
      <ol class="comments stack">
        {comments.map(({ sequence, at, by, via, detail }) => (
          <li key={sequence}>
            <p class="soft">
              <Text as="b" of={by ?? 'erased'} /> <span>({via})</span> <When iso={at} />
            </p>
            <Text as="p" of={String(detail.comment ?? '[erased]')} class="said" />
          </li>
        ))}
      </ol>
    </Part>
  );
}
