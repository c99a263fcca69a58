import {
  type FixedIn,
  type Following,
  type FollowUp,
  type IssueEffect,
  type LinkBack,
  type LinkedIssue,
  NO_PROGRESS,
} from '../domain/resolution.js';
import type { Publication, PublishIntent, Run } from '../domain/run.js';
import type { Publisher } from '../ports/publisher.js';
import { publisherOf } from '../runs/system-of.js';
import { codeSpan, link, safeUrl } from './draft/safe-markdown.js';
import { personSpan, trailerOf } from './draft/trailer.js';
import { hmacSha256Hex, sha256Hex } from './hash.js';

/** What is done to issues for one run: to its own after a decision about it, and to the earlier one that its new issue is linked from. */
export const SLOTS = ['follow_up', 'link_back'] as const;
export type Slot = (typeof SLOTS)[number];

const NO_EFFECT: IssueEffect = { comment: null, set: null };

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
    comment: `${personOf(reviewer)} removed the mark: this is not fixed.`,
    set: set === 'closed' ? 'open' : null,
  };
}

/** Whether the earlier issue gets a comment about a new one in the repository `to`; `null`: its system cannot, or does so by itself. */
export function linkBackOf(all: Publisher | null, issue: LinkedIssue, to: string): LinkBack | null {
  if (all === null) return null;
  const publisher = publisherOf(all, issue.repository);
  if (publisher.reopening === undefined) return null;
  return publisher.crossReferences === true && publisherOf(all, to) === publisher ? null : { issue };
}

/** The comment on the earlier issue, due now that the new one exists; `null`: there is none. */
export function linkingBack(
  { link_back }: Pick<Run, 'link_back'>,
  { number, issue_url }: Publication,
  { named, reviewer }: PublishIntent,
  at: string,
): Pick<Run, 'link_back'> | null {
  if (!link_back) return null;
  const change: FollowUp = {
    number: 1,
    comment: `This came back as ${link(`issue ${Math.trunc(number)}`, safeUrl(issue_url))}.`,
    set: null,
    ...(named ? { by: reviewer } : {}),
    at,
    state: 'pending',
    comment_url: null,
    done_at: null,
    error: null,
    progress: NO_PROGRESS,
  };
  return { link_back: { ...link_back, change } };
}

/** Identifies the comment of one decision; cannot be forged without the install key. */
export function followUpMarker(
  installKey: string,
  { project, fingerprint, generation }: Pick<Run, 'project' | 'fingerprint' | 'generation'>,
  { number }: Pick<FollowUp, 'number'>,
  slot: Slot,
): string {
  return hmacSha256Hex(
    installKey,
    JSON.stringify([project, fingerprint.hash, generation, slot.replace('_', '-'), number]),
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
