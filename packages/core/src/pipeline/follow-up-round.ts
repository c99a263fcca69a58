import type { step } from '../domain/entries.js';
import type { FollowUp, LinkedIssue } from '../domain/resolution.js';
import type { Run } from '../domain/run.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import type { Publisher, Reopening } from '../ports/publisher.js';
import type { RunPatch } from '../ports/run-store.js';
import { timeLimit } from '../resilience/time-limit.js';
import { publisherOf } from '../runs/system-of.js';
import { CALL_MS } from './publish-pauses.js';

/** What is done to issues for one run: to its own after a decision about it, and to the earlier one that its new issue is linked from. */
export const SLOTS = ['follow_up', 'link_back'] as const;
export type Slot = (typeof SLOTS)[number];

/** A run and one pending change of an issue. */
export interface Pending {
  readonly run: Run;
  readonly slot: Slot;
  readonly change: FollowUp;
}
/** The issue, and its system. */
export interface Target extends LinkedIssue {
  readonly publisher: Publisher;
  readonly reopening: Reopening;
}
export type Round = 'again' | 'done';
/** What a round changes of the pending change. */
export type Change = (
  change: FollowUp,
  now: string,
) => {
  readonly change: Partial<FollowUp>;
  readonly lease: 'longer' | null;
  readonly history: ReturnType<typeof step>[];
  readonly tell: boolean;
};

export function pendingIn(run: Run): readonly Pending[] {
  return SLOTS.flatMap((slot) => pendingAs(run, slot) ?? []);
}

export function pendingAs(run: Run, slot: Slot): Pending | null {
  const change = slot === 'follow_up' ? run.follow_up : run.link_back?.change;
  return change?.state === 'pending' ? { run, slot, change } : null;
}

export function patchOf({ run: { link_back }, slot, change }: Pending): RunPatch {
  return slot === 'follow_up' || !link_back ? { follow_up: change } : { link_back: { ...link_back, change } };
}

/** `null`: the system cannot change issues. */
export function targetOf({ run, slot }: Pending, all: Publisher | null): Target | null {
  const issue = slot === 'link_back' ? run.link_back?.issue : ownIssue(run);
  const publisher = issue && all && publisherOf(all, issue.repository);
  return issue && publisher?.reopening ? { ...issue, publisher, reopening: publisher.reopening } : null;
}

function ownIssue({ draft, publication }: Run): LinkedIssue | null {
  if (draft === null || publication === null) return null;
  const { number, issue_url: url } = publication;
  return { repository: draft.repository, number, url };
}

/** Where the history names the issue: in every entry about another one than the run's own. */
export function detailOf({ run, slot }: Pending): { readonly issue?: string } {
  return slot === 'link_back' && run.link_back ? { issue: run.link_back.issue.url } : {};
}

/** The number of an issue means another one in another system. Throws if the run's projects have moved to one since. */
export async function checkSystem({ publisher, repository, number, url }: Target): Promise<void> {
  const shown = await publisher.read(repository, number, timeLimit(CALL_MS));
  if (shown === null || originOf(shown.url) === originOf(url)) return;
  const detail = `Issue ${number} of ${repository} was ${url}; the publisher of this repository has moved since. Change the issue by hand.`;
  throw new CulpritError('publish_refused', detail);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

export function runError({ code, message, retryable }: CulpritError) {
  return { code, detail: message, retryable };
}

export function asCulpritError(error: unknown): CulpritError {
  if (isCulpritError(error)) return error;
  const detail = error instanceof Error ? error.message : 'no response';
  return new CulpritError('publish_ambiguous', `The publisher failed: ${detail}`, { cause: error });
}
