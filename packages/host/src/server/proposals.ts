import { randomBytes } from 'node:crypto';
import { CulpritError, type Engine, type Reviewer } from '@culprit/core';
import { DRAFT_LIMITS } from '@culprit/core/internal/domain/draft';
import type { Values } from '@culprit/core/internal/ports/values';
import { type StoredList, storedList } from '@culprit/core/internal/runs/stored';
import { type Proposal, proposalSchema } from './schema/proposals.js';

/** Proposals kept for each run. */
const MAX = 5;
const KEPT_MS = 30 * 24 * 60 * 60_000;
const BODY_CHARS = DRAFT_LIMITS.bodyChars - DRAFT_LIMITS.trailerChars;

/** A changed draft that somebody proposes. */
export interface ProposedEdit {
  /** Absent: the draft's own. */
  readonly title?: string;
  readonly body: string;
  /** What the change is for. */
  readonly note?: string;
}

/** Oldest first. `culprit erase` removes names from values below `proposals:`. */
export function proposalsOf(values: Values, runId: string): StoredList<Proposal> {
  return storedList<Proposal>(values, `proposals:${runId}`, {
    ...{ schema: proposalSchema, newest: 'last', most: MAX, ttlMs: KEPT_MS },
    full() {
      const detail = `The run has ${MAX} proposals. Somebody has to dismiss one first.`;
      return new CulpritError('state_conflict', detail, { members: { state: 'staged_draft' } });
    },
  });
}

/**
 * Stores a proposed edit beside the draft, which it never changes, and comments on the run. A later proposal of the same token, or
 * person, replaces the earlier one. Rejects with `state_conflict` unless the run waits at Gate 2, and with `malformed`.
 */
export async function proposeEdit(
  engine: Engine,
  runId: string,
  reviewer: Reviewer,
  { title, body, note = '' }: ProposedEdit,
): Promise<Proposal> {
  const { state, draft } = await engine.run(runId);
  if (state !== 'staged_draft' || draft === null) {
    const detail = `A draft can be changed only at Gate 2, and the run is ${state}.`;
    throw new CulpritError('state_conflict', detail, { members: { state } });
  }
  const clean = (text: string) => engine.sanitiser.text(text).value;
  const proposal: Proposal = {
    id: `prop_${randomBytes(8).toString('hex')}`,
    by: reviewer.name,
    token: reviewer.token ?? null,
    at: new Date().toISOString(),
    digest: draft.digest,
    title: clean(checked('title', title ?? draft.title, DRAFT_LIMITS.titleChars)),
    body: clean(checked('body', body, BODY_CHARS)),
    note: clean(note),
  };
  if (/[\r\n]/.test(proposal.title)) refuse('title', 'must be one line');
  const same = (one: Proposal) => one.by === proposal.by && one.token === proposal.token;
  await proposalsOf(engine.values, runId).add(proposal, same);
  const about = proposal.note === '' ? '.' : `: ${proposal.note}`;
  await engine.comment(runId, reviewer, { comment: `Proposes a change of the draft${about}` });
  return proposal;
}

/** False if there is no such proposal. */
export async function dismissProposal(values: Values, runId: string, id: string): Promise<boolean> {
  return (await proposalsOf(values, runId).remove((one) => one.id === id)).length > 0;
}

function checked(path: string, text: string, most: number): string {
  if (text.trim() === '') refuse(path, 'must not be empty');
  if (text.length > most) refuse(path, `may have at most ${most} characters`);
  return text;
}

function refuse(path: string, what: string): never {
  throw new CulpritError('malformed', `"${path}" ${what}.`, { path });
}
