import type { FixedIn, Following, FollowUp, IssueEffect } from '../domain/resolution.js';
import type { Run } from '../domain/run.js';
import type { Publisher } from '../ports/publisher.js';
import { codeSpan } from './draft/safe-markdown.js';
import { personSpan, trailerOf } from './draft/trailer.js';
import { hmacSha256Hex, sha256Hex } from './hash.js';

export const NO_EFFECT: IssueEffect = { comment: null, set: null };

/** What marking a run as fixed does to its issue, as far as its publisher can do it. */
export function effectOfResolving(
  { resolvedRuns }: Pick<Following, 'resolvedRuns'>,
  reopening: Publisher['reopening'],
  { commit, next_release }: FixedIn,
  reviewer?: string,
): IssueEffect {
  if (resolvedRuns === 'nothing' || reopening === undefined) return NO_EFFECT;
  const where = commit === undefined ? '' : ` The fix is commit ${codeSpan(commit, 64)}.`;
  const when = next_release === true ? ' The next release has the fix.' : '';
  return {
    comment: `${personOf(reviewer)} marked this as fixed.${where}${when}`,
    set: resolvedRuns === 'close' && reopening.close !== undefined ? 'closed' : null,
  };
}

/** What undoing that does: it takes back what was done, or may have been done. */
export function effectOfUndoing({ follow_up }: Pick<Run, 'follow_up'>, reviewer?: string): IssueEffect {
  if (!follow_up) return NO_EFFECT;
  const { state, comment_url, progress, comment, set } = follow_up;
  const sent = state === 'done' || comment_url !== null || progress.attempts > 0;
  if (!sent || comment === null) return NO_EFFECT;
  return {
    comment: `${personOf(reviewer)} took the mark back: this is not fixed.`,
    set: set === 'closed' ? 'open' : null,
  };
}

/** Identifies the comment of one decision; cannot be forged without the install key. */
export function followUpMarker(
  installKey: string,
  { project, fingerprint, generation }: Pick<Run, 'project' | 'fingerprint' | 'generation'>,
  { number }: Pick<FollowUp, 'number'>,
): string {
  return hmacSha256Hex(
    installKey,
    JSON.stringify([project, fingerprint.hash, generation, 'follow-up', number]),
  );
}

function personOf(reviewer: string | undefined): string {
  return reviewer === undefined ? 'A reviewer' : personSpan(reviewer);
}

/** The comment as sent: its text, and the trailer with its marker. */
export function commentOf(
  { run_id }: Pick<Run, 'run_id'>,
  text: string,
  marker: string,
  signer?: string,
): string {
  const made = { explanation: 'template', model: null, edited: false, signer } as const;
  return text + trailerOf({ run_id, digest: sha256Hex(text), marker, ...made });
}
