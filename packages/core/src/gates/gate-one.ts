import { inject, injectable } from '../di/inject.js';
import { decision, step } from '../domain/entries.js';
import type { NewHistoryEntry, Reviewer } from '../domain/history.js';
import type { LinkBack } from '../domain/resolution.js';
import { nextState, type Run, type RunRecord, type RunState } from '../domain/run.js';
import type { RunError } from '../domain/run-error.js';
import { EnginePolicy } from '../engine-api.js';
import type { GateOneResult } from '../engine-results.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import { stateConflict } from '../operations/refusals.js';
import { admitted } from '../operations/settled.js';
import { type AnalysisResult, analyse } from '../pipeline/analyse.js';
import { EarlierIssues } from '../pipeline/earlier-issue.js';
import { evidenceKey, learnedKey } from '../pipeline/evidence-key.js';
import { type LearnedMapping, mergeLearned, readLearned } from '../pipeline/locate/learned-mappings.js';
import { Notifications } from '../pipeline/notify.js';
import { Clock } from '../ports/clock.js';
import { type Explainer, Explainers } from '../ports/explainer.js';
import { SourceMaps } from '../ports/source-maps.js';
import { Values } from '../ports/values.js';
import { timeLimit } from '../resilience/time-limit.js';
import { Progress } from '../runs/progress.js';
import { runError, storedError } from '../runs/run-error.js';
import { holds, Runs } from '../runs/runs.js';
import { Tasks } from '../runs/tasks.js';
import { AnalysisInputs } from './analysis-of.js';
import { Investigations } from './investigations.js';

/** States that no approval leaves. */
const CLOSED_TO_GATES: readonly RunState[] = ['rejected', 'snoozed', 'merged'];
/** Added to the analysis budget: time to store the result. */
const LEASE_MARGIN_MS = 30_000;

/** What an analysis finds, and the earlier issue that its draft would be linked from. */
type Analysed = AnalysisResult & { readonly link_back: LinkBack | null };

/** Gate 1: a reviewer admits a crash, which starts the analysis. Concurrent approvals wait for its result. */
@injectable()
export class GateOne {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(AnalysisInputs) private readonly inputs: AnalysisInputs,
    @inject(EarlierIssues) private readonly earlierIssues: EarlierIssues,
    @inject(Explainers) private readonly explainers: readonly Explainer[],
    @inject(SourceMaps) private readonly sourceMaps: SourceMaps | null,
    @inject(Values) private readonly values: Values,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Progress) private readonly progress: Progress,
    @inject(Notifications) private readonly notifications: Notifications,
    @inject(Investigations) private readonly investigations: Investigations,
  ) {}

  /** Runs that this engine is analysing now. */
  readonly active = new Set<string>();

  /** Idempotent within a cycle. Rejects with the error that stopped the analysis; the run is then back in `staged_raw`. */
  async approve(runId: string, reviewer: Reviewer): Promise<GateOneResult> {
    const { cycle } = await this.start(runId, reviewer);
    return this.result(runId, cycle);
  }

  /** Approves, and does not wait for the analysis. */
  async start(runId: string, reviewer: Reviewer): Promise<Run> {
    const { record, changed } = await this.runs.change(runId, (before, now) => {
      const { run } = before;
      if (CLOSED_TO_GATES.includes(run.state)) throw stateConflict(run, 'Gate 1');
      const to = nextState(run.state, 'gate1.approve');
      if (to === null) return { result: null };
      const details = { from: run.state, to, detail: { cycle: run.cycle } };
      const entry = decision('gate1.approve', now, reviewer, details);
      const patch = { ...admitted(run), state: to, approved_by: reviewer.name };
      return { result: null, change: { patch, lease: this.lease(before), history: [entry] } };
    });
    if (changed) {
      this.begin(record);
      this.notifications.changed(runId);
    }
    return record.run;
  }

  /** Resumes an abandoned analysis. */
  async resume(runId: string, lost: (record: RunRecord) => boolean): Promise<void> {
    const taken = await this.runs.change(runId, (record, now) => {
      if (record.run.state !== 'analyzing' || !lost(record)) return { result: null };
      const entry = step('analysis.resumed', now, { detail: { cycle: record.run.cycle } });
      return { result: null, change: { patch: {}, lease: this.lease(record), history: [entry] } };
    });
    if (taken.changed) this.begin(taken.record);
  }

  private begin(record: RunRecord): void {
    const { run_id } = record.run;
    this.active.add(run_id);
    this.tasks.start('analysis', () =>
      this.analyse(record).finally(() => {
        this.active.delete(run_id);
        this.progress.end(run_id);
      }),
    );
  }

  private lease(record: RunRecord) {
    return this.runs.lease(record, this.policy.analysisMs + LEASE_MARGIN_MS);
  }

  private async result(runId: string, cycle: number): Promise<GateOneResult> {
    const done = ({ run }: RunRecord) => run.state !== 'analyzing' || run.cycle !== cycle;
    const record = await this.runs.wait(runId, done, this.policy.analysisMs + LEASE_MARGIN_MS);
    if (record === null)
      throw new CulpritError('timed_out', 'The analysis is still running. Read the run again later.');
    const { last_error: error, state } = record.run;
    if (state === 'rejected' || state === 'merged' || state === 'snoozed')
      throw stateConflict(record.run, 'Gate 1');
    if (record.run.cycle !== cycle && error) throw storedError(error);
    // Another reviewer has approved the gate again: wait for that analysis.
    if (state === 'analyzing') return this.result(runId, record.run.cycle);
    if (state === 'staged_raw') throw stateConflict(record.run, 'Continuing from Gate 1');
    return { status: 'analyzed', state };
  }

  private async analyse(record: RunRecord): Promise<void> {
    const { run } = record;
    const steps: NewHistoryEntry[] = [];
    try {
      const result = await this.run(run, steps);
      await this.values.set(evidenceKey(run.run_id, run.cycle), JSON.stringify(result.evidence));
      await this.remember(run.project, result.learned);
      await this.finish(record, steps, result);
    } catch (error) {
      if (this.tasks.signal.aborted) return;
      await this.fail(record, steps, analysisError(error));
      if (!isCulpritError(error)) throw error;
    }
  }

  private async run(run: Run, steps: NewHistoryEntry[]): Promise<Analysed> {
    const earlier = await this.earlierIssues.of(run);
    const { input, codeHost } = await this.inputs.of(run, earlier);
    const signal = timeLimit(this.policy.analysisMs, this.tasks.signal);
    const result = await analyse(input, {
      codeHost,
      sourceMaps: this.sourceMaps,
      explainers: this.explainers,
      explainMs: this.policy.explainMs,
      clock: this.clock,
      signal,
      onStep: (done) => {
        const { name, ms, detail, error } = done;
        steps.push(step(name, new Date(this.clock.now()).toISOString(), { ms, detail, error }));
        this.progress.report(run, done);
      },
    });
    return { ...result, link_back: earlier.link_back };
  }

  private async remember(project: string, fresh: readonly LearnedMapping[]): Promise<void> {
    if (fresh.length === 0) return;
    await this.values.change(learnedKey(project), (kept) =>
      JSON.stringify(mergeLearned(readLearned(kept), fresh)),
    );
  }

  private async finish(
    before: RunRecord,
    steps: readonly NewHistoryEntry[],
    result: Analysed,
  ): Promise<void> {
    const { revision, suspects, no_suspect, ownership, explanation, draft, release_window, link_back } =
      result;
    const { run_id } = before.run;
    const investigation = await this.investigations.automatic(run_id, result);
    const { changed } = await this.runs.change(run_id, (record, now) => {
      const to = nextState(record.run.state, 'analysis.done');
      if (to === null || !holds(record, before.lease)) return { result: null };
      const entry = step('analysis.done', now, { from: record.run.state, to, digest: draft.digest });
      const analysed = { revision, suspects, no_suspect, ownership, explanation, draft };
      // Absent without one, as in runs of older versions.
      const found = release_window || record.run.release_window ? { ...analysed, release_window } : analysed;
      const links = link_back || record.run.link_back ? { link_back } : {};
      const begins = investigation && { investigation: investigation(now) };
      const patch = { state: to, ...found, ...links, ...begins, last_error: null };
      return { result: null, change: { patch, lease: null, history: [...steps, entry] } };
    });
    if (changed && investigation !== null) this.investigations.begin(run_id);
    this.notifications.changed(run_id);
  }

  private async fail(before: RunRecord, steps: readonly NewHistoryEntry[], error: RunError): Promise<void> {
    await this.runs.change(before.run.run_id, (record, now) => {
      const { run } = record;
      const to = nextState(run.state, 'analysis.failed');
      if (to === null || !holds(record, before.lease)) return { result: null };
      const entry = step('analysis.failed', now, { from: run.state, to, error });
      const patch = { state: to, cycle: run.cycle + 1, approved_by: null, last_error: error };
      return { result: null, change: { patch, lease: null, history: [...steps, entry] } };
    });
    this.notifications.changed(before.run.run_id);
  }
}

/** What the run keeps of the error that stopped its analysis. Only errors of the catalogue reveal details. */
function analysisError(error: unknown): RunError {
  if (isCulpritError(error)) return runError(error);
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return {
      code: 'code_host_unavailable',
      detail: 'The analysis exceeded its time limit.',
      retryable: true,
    };
  }
  return {
    code: 'internal',
    detail: 'The analysis failed because of a bug. See the log for details.',
    retryable: false,
  };
}
