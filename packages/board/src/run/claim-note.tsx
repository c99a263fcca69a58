import type { Run } from '@culprit/core';
import { claimOf } from '@culprit/core/internal/domain/claim';
import { visible } from '../parts/text.js';
import { who } from '../state/session.js';

/** In a decision's dialog: another reviewer has claimed the run. */
export function ClaimNote({ run }: { readonly run: Pick<Run, 'claim'> }) {
  const me = who.value;
  const claim = claimOf(run, Date.now());
  if (claim === null || (me !== null && me !== 'unknown' && claim.by === me.name)) return null;
  return (
    <p class="callout" data-tone="amber">
      <b class="untrusted">{visible(claim.by)}</b> has claimed this run. Your decision ends the claim.
    </p>
  );
}
