import * as v from 'valibot';
import { COMMENT_LIMITS, claimOf, type RunClaim } from '../domain/claim.js';
import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import { type Run, WAITING_STATES } from '../domain/run.js';
import { about } from '../domain/schema.js';
import { CulpritError } from '../errors/error.js';
import { type Decided, runCommand } from './command.js';
import { freeText } from './free-text.js';
import { OF_RUN } from './reach.js';
import { stateConflict } from './refusals.js';

const ROW = { scope: 'comment', reach: OF_RUN, answer: 'run', what: 'The run' } as const;

/** What reviewers say to each other about a run. It decides nothing, and is no activity of the run. */
export const REMARKS = {
  /**
   * Shows others that the reviewer looks at a waiting run; it keeps nobody from deciding. Ends with the next decision, with
   * `releaseClaim`, or after `policy.claimMs`. Rejects with `claimed`, which names the reviewer, if another one has claimed it,
   * unless `take_over` is set.
   */
  claim: runCommand({
    ...ROW,
    id: 'claimRun',
    at: 'POST /claim',
    summary: 'Claim a run: show other reviewers that you are looking at it',
    input: v.strictObject({
      take_over: v.optional(
        about(v.boolean(), 'Claim the run even if another reviewer has claimed it. Default false.'),
        false,
      ),
    }),
    problems: ['state_conflict', 'claimed'],
    decide(run, { take_over }, { reviewer, now, policy }) {
      if (!WAITING_STATES.includes(run.state)) throw stateConflict(run, 'Claiming');
      const at = Date.parse(now);
      const other = otherClaim(run, reviewer, at);
      if (other !== null && !take_over) throw claimedBy(other);
      const until = new Date(at + policy.claimMs).toISOString();
      const detail = other === null ? { until } : { until, taken_over: true };
      const claim: RunClaim = { by: reviewer.name, at: now, until };
      return remark(run, { claim }, decision('claim', now, reviewer, { detail }));
    },
  }),
  /** Ends the reviewer's claim, if there is one. Rejects with `claimed` if it is another reviewer's. */
  releaseClaim: runCommand({
    ...ROW,
    id: 'releaseClaim',
    at: 'DELETE /claim',
    summary: 'Release your claim of a run',
    input: v.strictObject({}),
    problems: ['claimed'],
    decide(run, _input, { reviewer, now }) {
      const at = Date.parse(now);
      const other = otherClaim(run, reviewer, at);
      if (other !== null) throw claimedBy(other);
      if (claimOf(run, at) === null) return null;
      return remark(run, { claim: null }, decision('claim.release', now, reviewer, {}));
    },
  }),
  /** Puts a run first in its group of the inbox, for all reviewers and in any state, until somebody unpins it. */
  pin: runCommand({
    ...ROW,
    id: 'pinRun',
    at: 'PUT /pin',
    summary: 'Pin a run: it stands first in its group of the inbox',
    done: 'The run is pinned.',
    tool: 'pin_run',
    input: v.strictObject({}),
    problems: [],
    decide(run, _input, { reviewer, now }) {
      if (run.pinned) return null;
      const pinned = { by: reviewer.name, at: now };
      return remark(run, { pinned }, decision('pinned', now, reviewer, {}));
    },
  }),
  /** Ends what `pin` did, also if another reviewer pinned the run. */
  unpin: runCommand({
    ...ROW,
    id: 'unpinRun',
    at: 'DELETE /pin',
    summary: 'Unpin a run',
    done: 'The run is no longer pinned.',
    tool: 'unpin_run',
    input: v.strictObject({}),
    problems: [],
    decide(run, _input, { reviewer, now }) {
      return run.pinned ? remark(run, { pinned: null }, decision('unpinned', now, reviewer, {})) : null;
    },
  }),
  /** Adds a comment to the history, and to chat, in any state. It is sanitised and never published. */
  comment: runCommand({
    ...ROW,
    id: 'commentOnRun',
    at: 'POST /comments',
    summary: 'Comment on a run. Comments go into the history and to chat, never into the issue',
    done: 'The comment was added. Reviewers see it beside the run.',
    tool: 'add_comment',
    input: v.strictObject({ comment: freeText }),
    freeText: ['comment'],
    problems: ['state_conflict'],
    decide(run, input, { reviewer, now }) {
      const comments = (run.comments ?? 0) + 1;
      if (comments > COMMENT_LIMITS.comments) {
        const detail = `The run has ${COMMENT_LIMITS.comments} comments, the maximum.`;
        throw new CulpritError('state_conflict', detail, { members: { state: run.state } });
      }
      const comment = input.comment.trim().replace(/\r\n?/g, '\n');
      return remark(run, { comments }, decision('comment', now, reviewer, { detail: { comment } }));
    },
  }),
};

function remark(
  run: Run,
  patch: Pick<Run, 'claim' | 'pinned' | 'comments'>,
  entry: Decided['entry'],
): Decided {
  return { patch: { ...patch, remarks: (run.remarks ?? 0) + 1 }, entry, quiet: true };
}

function otherClaim(run: Run, reviewer: Reviewer, now: number): RunClaim | null {
  const claim = claimOf(run, now);
  return claim === null || claim.by === reviewer.name ? null : claim;
}

function claimedBy(claim: RunClaim): CulpritError {
  const detail = `${claim.by} has claimed this run until ${claim.until}. Take it over, or choose another run.`;
  return new CulpritError('claimed', detail, { members: { claim } });
}
