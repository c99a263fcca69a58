import type { HistoryEntry, Run } from '@culprit/core';
import { claimOf } from '@culprit/core/internal/domain/claim';
import { WAITING_STATES } from '@culprit/core/internal/domain/run';
import { wokenText } from '@culprit/core/internal/domain/snooze';
import { ago, exact } from '../format.js';
import { Button } from '../parts/button.js';
import { Key } from '../parts/scroller.js';
import { Text, visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { who } from '../state/session.js';
import { whyNotDecide } from './decisions.js';
import { askClaim, askComment, askSnooze } from './turn-actions.js';

/** Who looks at the run, why it is back from a snooze, and what a reviewer can do besides deciding. */
export function Turns({ run }: { readonly run: Run }) {
  const me = who.value;
  const claim = claimOf(run, clock.value);
  const mine = claim !== null && me !== null && me !== 'unknown' && claim.by === me.name;
  const waiting = WAITING_STATES.includes(run.state);
  const off = whyNotDecide('comment') !== null;
  const { woken } = run;
  return (
    <>
      {woken && (
        <p class="callout" data-tone="amber">
          <b>Back from a snooze.</b> <Text of={wokenText(woken)} />{' '}
          <time class="soft" dateTime={woken.at} title={exact(woken.at)}>
            {ago(woken.at, clock.value)}
          </time>
        </p>
      )}
      <div class="turns">
        {claim !== null && waiting && (
          <p class="claimed" data-mine={mine ? '' : undefined}>
            <span class="untrusted">{mine ? 'You have' : `${visible(claim.by)} has`}</span> claimed this run ·{' '}
            <time class="soft" dateTime={claim.at} title={`until ${exact(claim.until)}`}>
              {ago(claim.at, clock.value)}
            </time>
          </p>
        )}
        <div class="actions">
          {waiting && (
            <Button small disabled={off} onClick={askClaim}>
              {mine ? 'Release' : claim === null ? 'Claim' : 'Take over'} <Key name="C" />
            </Button>
          )}
          <Button small disabled={off} onClick={askComment}>
            Comment <Key name="M" />
          </Button>
          {waiting && (
            <Button small disabled={off} onClick={askSnooze}>
              Snooze <Key name="S" />
            </Button>
          )}
        </div>
      </div>
    </>
  );
}

/** The reviewers' comments, oldest first. The timeline has them, too, between the decisions. */
export function Comments({ history }: { readonly history: readonly HistoryEntry[] }) {
  const comments = history.filter(({ name }) => name === 'comment');
  if (comments.length === 0) return null;
  return (
    <section class="part" aria-labelledby="comments">
      <h3 id="comments" tabIndex={-1}>
        Comments <span class="soft">not published</span>
      </h3>
      <ol class="comments">
        {comments.map(({ sequence, at, by, via, detail }) => (
          <li key={sequence}>
            <p class="soft">
              <Text as="b" of={by ?? 'erased'} /> <span>({via})</span>{' '}
              <time dateTime={at} title={exact(at)}>
                {ago(at, clock.value)}
              </time>
            </p>
            <Text as="p" of={String(detail.comment ?? '[erased]')} class="said" />
          </li>
        ))}
      </ol>
    </section>
  );
}
