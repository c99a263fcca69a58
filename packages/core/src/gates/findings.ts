import { inject, injectable } from '../di/inject.js';
import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import type { Finding, InvestigatedBy, Investigation, InvestigationTrail } from '../domain/investigation.js';
import type { Run } from '../domain/run.js';
import { EnginePolicy } from '../engine-api.js';
import { CulpritError } from '../errors/error.js';
import { draftChanged, findingRefused, investigationsOff, stateConflict } from '../operations/refusals.js';
import { Notifications } from '../pipeline/notify.js';
import { Clock } from '../ports/clock.js';
import { Values } from '../ports/values.js';
import { Runs } from '../runs/runs.js';
import { Tasks } from '../runs/tasks.js';
import { Conclusions, derivedPatch, followsFinding, rankingOf } from './conclusions.js';
import { journalOf, NEW_JOURNAL, shownJournal } from './investigation-journal.js';
import { askedBy } from './questions.js';

/** Findings that can be handed in, in one cycle of a run. */
const MAX_SUBMITS = 20;

/** Whose suspects a draft follows, and the draft that is replaced. */
export interface Choice {
  readonly by: 'ranking' | 'investigation';
  readonly digest?: string | undefined;
}

/** Findings that agents hand in, and the choice between a finding and the ranking. */
@injectable()
export class Findings {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Values) private readonly values: Values,
    @inject(Conclusions) private readonly conclusions: Conclusions,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Notifications) private readonly notifications: Notifications,
  ) {}

  /** The latest investigation of the cycle with everything that was asked. */
  async trail(runId: string): Promise<InvestigationTrail> {
    const { run } = await this.runs.get(runId);
    const investigation = run.investigation ?? null;
    const asked = (await shownJournal(this.values, run))?.asked ?? [];
    return { investigation, asked, answers: true };
  }

  /** An agent hands a finding in. Rejects with `state_conflict` outside Gate 2, and while the configured model investigates. */
  async submit(runId: string, reviewer: Reviewer, raw: Finding): Promise<Run> {
    const { run } = await this.runs.get(runId);
    if (this.policy.investigation.when === 'off') throw investigationsOff();
    const queued = await this.queued(run);
    requireOpen(run, 'Handing in a finding', queued);
    await this.conclusions.requireFewer(runId, 'finding.submit', MAX_SUBMITS);
    const given = this.conclusions.cleaned(raw);
    const scene = await this.conclusions.scene(run, this.tasks.signal);
    const asked = await askedBy(this.values, run, reviewer).get();
    const by: InvestigatedBy = {
      kind: 'agent',
      name: reviewer.token ?? reviewer.name,
      person: reviewer.name,
    };
    const isNone = given.none_probability >= 0.5;
    const questions = asked.length;
    const { finding, checks, rated } = isNone
      ? { finding: given, checks: [], rated: null }
      : await this.conclusions.judge(given, scene, { model: null, agreement: null, questions });
    const now = new Date(this.clock.now()).toISOString();
    const started_at = asked[0]?.at ?? now;
    const investigation: Investigation = {
      ...{ state: 'ended', by, started_at, ended_at: now, questions, tokens: 0, cost: null, finding, checks },
      ...{ probability: rated?.probability ?? null, measured: false, detail: null, ranking: [] },
      reason: rated !== null ? null : isNone ? 'no_commit' : 'check_failed',
    };
    const done = await this.conclusions.settle(run, {
      investigation,
      investigated: rated && { by, finding, checks, ...rated, questions, prompt: null, asked },
      isAwaited: (current) => !isUnderWay(current, queued),
      history: (at) => [
        decision('finding.submit', at, reviewer, { detail: { commit: finding.commits[0] ?? null } }),
      ],
    });
    if (done.refused) throw findingRefused(run, done.refused, checks);
    if (!done.isShown) requireOpen(done.run, 'Handing in a finding', queued);
    // Not over the journal of an investigation that began just now.
    await journalOf(this.values, run).change((other) =>
      other !== null && other.owner !== null && other.started_at >= now
        ? null
        : { ...NEW_JOURNAL, started_at, asked, questions },
    );
    return done.run;
  }

  /** Derives the draft again by the ranking or by the finding; replaces an edited draft, too. */
  async choose(runId: string, reviewer: Reviewer, { by, digest }: Choice): Promise<Run> {
    const { run } = await this.runs.get(runId);
    const queued = await this.queued(run);
    const isKept = (current: Run) => {
      const { draft } = requireOpen(current, 'Choosing suspects', queued);
      if (digest !== draft.digest) throw draftChanged(draft.digest);
      return draft.edited_by === null && followsFinding(current) === (by === 'investigation');
    };
    if (digest === undefined)
      throw new CulpritError(
        'precondition_required',
        'Send If-Match with the ETag of the draft you replace.',
      );
    if (isKept(run)) return run;
    const investigated = by === 'ranking' ? null : await this.conclusions.investigated(run);
    const done = await this.conclusions.replaceEvidence(run, investigated, async (result) => {
      const { record, changed } = await this.runs.change(runId, (before, now) => {
        const current = before.run;
        if (isKept(current)) return { result: null };
        const { investigation = null } = current;
        const state = by === 'ranking' ? ('offered' as const) : ('used' as const);
        const reason = by === 'ranking' ? ('preferred' as const) : null;
        const hasFinding = investigation?.probability != null;
        const shown = hasFinding && { ...investigation, state, reason, ranking: rankingOf(current) };
        const patch = { ...derivedPatch(result), ...(shown && { investigation: shown }) };
        const detail = { by, before: current.draft?.digest ?? null };
        const entry = decision('suspects.choose', now, reviewer, { digest: result.draft.digest, detail });
        return { result: null, change: { patch, history: [entry] } };
      });
      if (changed) this.notifications.changed(runId);
      return { run: record.run, isShown: changed };
    });
    return done.run;
  }

  /** When an investigation was started that no process has begun; `null`: none waits. */
  private async queued(run: Run): Promise<string | null> {
    const { state, started_at = null } = run.investigation ?? {};
    return state === 'running' && (await shownJournal(this.values, run)) === null ? started_at : null;
  }
}

type Open = Run & { readonly draft: NonNullable<Run['draft']> };

/** Throws unless the run waits for Gate 2 and no investigation is under way. */
function requireOpen(run: Run, what: string, queued: string | null): Open {
  const { draft } = run;
  if (run.state !== 'staged_draft' || draft === null) throw stateConflict(run, what);
  if (!isUnderWay(run, queued)) return { ...run, draft };
  const detail = 'The configured model is investigating the run. Stop it first, or wait for its end.';
  throw new CulpritError('state_conflict', detail, { members: { state: run.state } });
}

function isUnderWay({ investigation }: Run, queued: string | null): boolean {
  return investigation?.state === 'running' && investigation.started_at !== queued;
}
