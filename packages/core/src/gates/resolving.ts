import { inject, injectable } from '../di/inject.js';
import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import {
  type FixedIn,
  type FollowUp,
  type IssueEffect,
  NO_PROGRESS,
  type Resolution,
} from '../domain/resolution.js';
import type { Run } from '../domain/run.js';
import { CulpritError } from '../errors/error.js';
import { checkInput } from '../operations/check-input.js';
import { notLatest, stateConflict } from '../operations/refusals.js';
import { fixedInSchema } from '../operations/resolution.js';
import { FollowUps } from '../pipeline/follow-up.js';
import { effectOfResolving, effectOfUndoing } from '../pipeline/follow-up-effect.js';
import { IssueStates } from '../pipeline/issue-states.js';
import { Notifications } from '../pipeline/notify.js';
import { PendingFollowUps } from '../pipeline/pending-follow-ups.js';
import { ReleaseBook } from '../pipeline/releases/release-book.js';
import { Publisher } from '../ports/publisher.js';
import type { RunPatch } from '../ports/run-store.js';
import { Projects } from '../runs/projects.js';
import { Runs } from '../runs/runs.js';
import { publisherOf } from '../runs/system-of.js';

type Decided = { readonly patch: RunPatch; readonly name: string; readonly effect: IssueEffect } | null;

const retryOf = ({ comment, set }: FollowUp): Decided => ({
  name: 'resolve.retry',
  patch: {},
  effect: { comment, set },
});

/** A reviewer marks a published run as fixed, or undoes that. What it does to the issue is stored with the decision. */
@injectable()
export class Resolving {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Publisher) private readonly publisher: Publisher | null,
    @inject(Projects) private readonly projects: Projects,
    @inject(ReleaseBook) private readonly releases: ReleaseBook,
    @inject(PendingFollowUps) private readonly pending: PendingFollowUps,
    @inject(FollowUps) private readonly followUps: FollowUps,
    @inject(IssueStates) private readonly issueStates: IssueStates,
    @inject(Notifications) private readonly notifications: Notifications,
  ) {}

  async resolve(runId: string, reviewer: Reviewer, fixedIn: FixedIn): Promise<Run> {
    const recorded = fixedIn.next_release === true ? await this.recorded(runId) : [];
    return this.decide(runId, reviewer, fixedIn, (run, now) => {
      const { resolution, follow_up } = run;
      if (resolution?.by && follow_up?.state === 'failed') return retryOf(follow_up);
      if (resolution) return null;
      const without = [...new Set([...run.releases, ...recorded])];
      const not_in = fixedIn.next_release === true ? { not_in: without } : {};
      const made: Resolution = { as: 'fixed', by: reviewer.name, at: now, ...not_in };
      const { commit } = fixedIn;
      const fix =
        commit === undefined ? {} : { fix: { commit, pull_request: null, missing_in: [], occurrences: 0 } };
      return {
        name: 'resolve',
        patch: { resolution: made, ...fix },
        effect: this.effectOn(run, fixedIn, reviewer),
      };
    });
  }

  /** The releases of the run's project that exist now. */
  private async recorded(runId: string): Promise<readonly string[]> {
    const { run } = await this.runs.get(runId);
    const versions = await this.releases.versions(run.project);
    return versions.slice(0, MAX_RELEASES).map(({ version }) => version);
  }

  unresolve(runId: string, reviewer: Reviewer): Promise<Run> {
    return this.decide(runId, reviewer, {}, (run) => {
      const { resolution, follow_up } = run;
      if (!resolution) return follow_up?.state === 'failed' ? retryOf(follow_up) : null;
      if (resolution.by === null) throw closedThere(run);
      return {
        name: 'resolve.undo',
        patch: { resolution: null, ...(run.fix ? { fix: null } : {}) },
        effect: effectOfUndoing(run, reviewer.name),
      };
    });
  }

  /** What the reviewer's next decision would do to the issue. */
  async effect(runId: string, given: FixedIn = {}, reviewer?: Reviewer): Promise<IssueEffect> {
    const fixedIn = checkInput(fixedInSchema, given, 'The input');
    const { run } = await this.runs.get(runId);
    if (run.state !== 'published') throw stateConflict(run, WHAT);
    return run.resolution?.by ? effectOfUndoing(run, reviewer?.name) : this.effectOn(run, fixedIn, reviewer);
  }

  private effectOn({ project, draft }: Run, fixedIn: FixedIn, reviewer?: Reviewer): IssueEffect {
    const { publisher } = this;
    const own = publisher && draft && publisherOf(publisher, draft.repository);
    return effectOfResolving(this.projects.following(project), own?.reopening, fixedIn, reviewer?.name);
  }

  private async decide(
    runId: string,
    reviewer: Reviewer,
    { commit, next_release }: FixedIn,
    decideOn: (run: Run, now: string) => Decided,
  ): Promise<Run> {
    const { followUps, issueStates, notifications } = this;
    await this.runs.requireLatest(runId, notLatest);
    await this.pending.add(runId);
    const { record, changed } = await this.runs.change(runId, (found, now) => {
      const { run } = found;
      if (run.state !== 'published') throw stateConflict(run, WHAT);
      const decided = decideOn(run, now);
      if (decided === null) return { result: null };
      const { patch, name, effect } = decided;
      const follow_up = followUpOf(run, effect, { at: now, by: reviewer.name }, name === 'resolve.retry');
      const detail = {
        effect: effect.set ?? (effect.comment === null ? 'nothing' : 'comment'),
        ...(commit === undefined ? {} : { commit }),
        ...(next_release === true ? { next_release } : {}),
      };
      const lease = follow_up?.state === 'pending' ? { lease: followUps.lease(found) } : {};
      const history = [decision(name, now, reviewer, { detail })];
      return { result: null, change: { patch: { ...patch, follow_up }, ...lease, history } };
    });
    if (changed) {
      await issueStates.forget(runId);
      if (record.run.follow_up?.state === 'pending') followUps.start(record);
      notifications.changed(runId);
    }
    return record.run;
  }
}

const WHAT = 'Marking as fixed';
/** Recorded releases that a fix in the next release is not in: they are stored with the run. */
const MAX_RELEASES = 100;

/** A decision without an effect leaves nothing to do, also of the decision before it. */
function followUpOf(
  { follow_up }: Run,
  { comment, set }: IssueEffect,
  { at, by }: Required<Pick<FollowUp, 'at' | 'by'>>,
  again: boolean,
): FollowUp | null {
  if (again && follow_up)
    return { ...follow_up, state: 'pending', error: null, progress: retried(follow_up) };
  const nothing = comment === null && set === null;
  if (nothing && !follow_up) return null;
  return {
    number: (follow_up?.number ?? 0) + 1,
    comment,
    set,
    by,
    at,
    state: nothing ? 'done' : 'pending',
    comment_url: null,
    done_at: nothing ? at : null,
    error: null,
    progress: NO_PROGRESS,
  };
}

/** An earlier attempt may still have reached the code host. */
function retried({ progress }: FollowUp): FollowUp['progress'] {
  return { ...NO_PROGRESS, attempts: progress.attempts, ambiguous: progress.ambiguous };
}

function closedThere(run: Run): CulpritError {
  const detail = 'The issue was closed on the code host. Reopen it there; the run then follows.';
  return new CulpritError('state_conflict', detail, { members: { state: run.state } });
}
