import { COMMENT_LIMITS, claimOf, type RunClaim } from '../domain/claim.js';
import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import { type Run, WAITING_STATES } from '../domain/run.js';
import { CulpritError } from '../errors/error.js';
import type { Notifications } from '../pipeline/notify.js';
import { changeRun, type Decision } from '../runs/change-run.js';
import type { EngineServices } from '../runs/services.js';
import { stateConflict } from './refusals.js';

/** The ports and services that Remarks uses. */
export type RemarksParts = Pick<EngineServices, 'runStore' | 'clock' | 'policy' | 'sanitiser'> & {
  readonly notifications: Pick<Notifications, 'changed'>;
};

/** What reviewers tell each other about a run: who looks at it, and comments. Neither decides anything or moves the run in a list. */
export class Remarks {
  constructor(private readonly parts: RemarksParts) {}

  /**
   * Claims a waiting run, or extends the reviewer's own claim. Rejects with `claimed`, which names the reviewer, if another one
   * has claimed it, unless `takeOver` is set; with `state_conflict` if the run waits for nobody.
   */
  claim(runId: string, reviewer: Reviewer, takeOver = false): Promise<Run> {
    return this.change(runId, (run, now) => {
      if (!WAITING_STATES.includes(run.state)) throw stateConflict(run, 'Claiming');
      const at = Date.parse(now);
      const other = otherClaim(run, reviewer, at);
      if (other !== null && !takeOver) throw claimedBy(other);
      const until = new Date(at + this.parts.policy.claimMs).toISOString();
      const claim: RunClaim = { by: reviewer.name, at: now, until };
      const detail = other === null ? { until } : { until, taken_over: true };
      return { patch: { claim }, entry: decision('claim', now, reviewer, { detail }) };
    });
  }

  /** Ends the reviewer's claim. Rejects with `claimed` if it is another one's; changes nothing if there is none. */
  release(runId: string, reviewer: Reviewer): Promise<Run> {
    return this.change(runId, (run, now) => {
      const other = otherClaim(run, reviewer, Date.parse(now));
      if (other !== null) throw claimedBy(other);
      if (claimOf(run, Date.parse(now)) === null) return null;
      return { patch: { claim: null }, entry: decision('claim.release', now, reviewer, {}) };
    });
  }

  /** Adds a comment, in any state. It is sanitised, and is no part of the draft or the issue. */
  comment(runId: string, reviewer: Reviewer, given: string): Promise<Run> {
    const comment = this.parts.sanitiser.text(checkComment(given)).value;
    return this.change(runId, (run, now) => {
      const comments = (run.comments ?? 0) + 1;
      if (comments > COMMENT_LIMITS.comments) {
        const detail = `The run has ${COMMENT_LIMITS.comments} comments, the maximum.`;
        throw new CulpritError('state_conflict', detail, { members: { state: run.state } });
      }
      return {
        patch: { comments },
        entry: decision('comment', now, reviewer, { detail: { comment } }),
      };
    });
  }

  private async change(
    runId: string,
    decide: (
      run: Run,
      now: string,
    ) => {
      readonly patch: Pick<Run, 'claim' | 'comments'>;
      readonly entry: ReturnType<typeof decision>;
    } | null,
  ): Promise<Run> {
    const { runStore, clock, notifications } = this.parts;
    const { record, changed } = await changeRun(runStore, clock, runId, ({ run }, now): Decision<null> => {
      const made = decide(run, now);
      if (made === null) return { result: null };
      const patch = { ...made.patch, remarks: (run.remarks ?? 0) + 1 };
      return { result: null, change: { patch, history: [made.entry], quiet: true } };
    });
    if (changed) notifications.changed(runId);
    return record.run;
  }
}

function otherClaim(run: Run, reviewer: Reviewer, now: number): RunClaim | null {
  const claim = claimOf(run, now);
  return claim === null || claim.by === reviewer.name ? null : claim;
}

function claimedBy(claim: RunClaim): CulpritError {
  const detail = `${claim.by} has claimed this run until ${claim.until}. Take it over, or choose another run.`;
  return new CulpritError('claimed', detail, { members: { claim } });
}

function checkComment(comment: unknown): string {
  if (typeof comment !== 'string' || comment.trim() === '') {
    throw new CulpritError('malformed', '"comment" is required and must not be empty.', { path: 'comment' });
  }
  if (comment.length > COMMENT_LIMITS.chars) {
    const detail = `"comment" must have at most ${COMMENT_LIMITS.chars.toLocaleString('en')} characters.`;
    throw new CulpritError('malformed', detail, { path: 'comment' });
  }
  return comment.trim().replace(/\r\n?/g, '\n');
}
