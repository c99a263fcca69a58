import { inject, injectable } from '../di/inject.js';
import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import {
  type Finding,
  type InvestigatedBy,
  type Investigation,
  NO_EFFECT,
  type NoEffect,
} from '../domain/investigation.js';
import type { Run } from '../domain/run.js';
import { EnginePolicy } from '../engine-api.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import { stateConflict } from '../operations/refusals.js';
import type { AnalysisResult } from '../pipeline/analysis.js';
import { type AskParts, ask, availableQuestions } from '../pipeline/investigate/ask.js';
import { paysToRepeat } from '../pipeline/investigate/probability.js';
import { questionsOf } from '../pipeline/investigate/repository.js';
import { Notifications } from '../pipeline/notify.js';
import { PendingFollowUps } from '../pipeline/pending-follow-ups.js';
import { Clock } from '../ports/clock.js';
import { Investigator } from '../ports/investigator.js';
import { Logger } from '../ports/logger.js';
import { Values } from '../ports/values.js';
import { semaphore } from '../resilience/semaphore.js';
import { timeLimit, untilAborted } from '../resilience/time-limit.js';
import { Progress } from '../runs/progress.js';
import { Runs } from '../runs/runs.js';
import { Tasks } from '../runs/tasks.js';
import { Conclusions, followsFinding, type Judged } from './conclusions.js';
import { openDesk } from './investigation-desk.js';
import {
  type Bill,
  type DayBill,
  investigationBill,
  MAX_RESTARTS,
  type OpenJournal,
  takeJournal,
} from './investigation-journal.js';

/** Investigations of one engine at once. */
const AT_ONCE = 2;
/** Of reviewers, in one cycle of a run. */
const MAX_STARTS = 5;
/** Between two signs of life. */
const RENEW_MS = 5_000;
/** A second round begins only if this share of the questions is left. */
const REPEAT_SHARE = 1 / 3;

/** The run as it was when its investigation began. */
type Started = Run & { readonly investigation: Investigation };

/** How an investigation ends without a finding. */
interface Ending {
  readonly reason: NoEffect;
  readonly detail: string | null;
}

/**
 * Investigations by the configured investigator, beside the gates. The run's document says that one is under way; its journal is what
 * another process continues with. Whatever happens, it ends: by a finding, a limit, a reviewer, or too many restarts.
 */
@injectable()
export class Investigations {
  private readonly bill: Bill;
  private readonly inTurn = semaphore(AT_ONCE);
  /** Those that this engine works on, or will. */
  private readonly active = new Map<string, AbortController>();

  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Values) private readonly values: Values,
    @inject(Investigator) private readonly investigator: Investigator | null,
    @inject(Conclusions) private readonly conclusions: Conclusions,
    @inject(PendingFollowUps) private readonly pending: PendingFollowUps,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Progress) private readonly progress: Progress,
    @inject(Notifications) private readonly notifications: Notifications,
    @inject(Logger) private readonly logger: Logger,
  ) {
    this.bill = investigationBill(values, clock);
  }

  /** What today's investigations used. */
  today(): Promise<DayBill> {
    return this.bill.today();
  }

  /**
   * The investigation that starts by itself after this analysis; `null`: none does. Must be stored with the analysis, and then begun. The
   * run is listed first, so that a process that ends in between loses nothing.
   */
  async automatic(
    runId: string,
    { suspects: [first], revision }: Pick<AnalysisResult, 'suspects' | 'revision'>,
  ): Promise<((now: string) => Investigation) | null> {
    const { investigator, policy } = this;
    if (policy.investigation.when !== 'auto' || investigator === null) return null;
    if (!isCapable(investigator) || revision === null || first?.verdict === 'auto') return null;
    await this.pending.add(runId);
    return (now) => this.begun(investigator, null, now);
  }

  /** Begins the work on a run whose document has a running investigation. */
  begin(runId: string): void {
    if (this.active.has(runId)) return;
    const stopping = new AbortController();
    this.active.set(runId, stopping);
    this.tasks.start('investigation', async (closing) => {
      try {
        await this.inTurn(() => this.work(runId, stopping), AbortSignal.any([closing, stopping.signal]));
      } catch (error) {
        if (!closing.aborted && !stopping.signal.aborted) throw error;
      } finally {
        // Another may have begun since this one was stopped.
        if (this.active.get(runId) === stopping) {
          this.active.delete(runId);
          this.progress.end(runId);
        }
      }
    });
  }

  /** Continues an investigation that no process works on, and mends the evidence that one left. False: nothing is left to do. */
  async resume(runId: string): Promise<boolean> {
    const record = await this.runs.store.get(runId);
    if (record === null) return false;
    if (record.run.investigation?.state !== 'running') {
      try {
        await this.conclusions.mendEvidence(runId);
        return false;
      } catch (error) {
        this.logger.warn({ run_id: runId, err: error }, 'the evidence does not follow the draft yet');
        return true;
      }
    }
    this.begin(runId);
    return true;
  }

  /** The investigator that a reviewer can start; `null`: none. */
  startable(): Investigator | null {
    const { investigator, policy } = this;
    const isOff = policy.investigation.when === 'off';
    return investigator === null || isOff || isUnable(investigator) ? null : investigator;
  }

  /** A reviewer starts one. */
  async start(runId: string, reviewer: Reviewer): Promise<Run> {
    const { run } = await this.runs.get(runId);
    const investigator = this.startable();
    if (investigator === null)
      throw new CulpritError(
        'no_investigator',
        'No model that can investigate is configured. Configure one, or let an agent investigate and hand in a finding.',
      );
    if (run.investigation?.state !== 'running')
      await this.conclusions.requireFewer(runId, 'investigation.start', MAX_STARTS);
    await this.conclusions.scene(run, this.tasks.signal);
    await this.pending.add(runId);
    const { record, changed } = await this.runs.change(runId, ({ run: current }, now) => {
      if (current.state !== 'staged_draft') throw stateConflict(current, 'Investigating');
      if (current.investigation?.state === 'running') return { result: null };
      if (followsFinding(current))
        throw new CulpritError(
          'state_conflict',
          'The suspects follow a finding already. Choose those of the ranking first.',
          { members: { state: current.state } },
        );
      const entry = decision('investigation.start', now, reviewer, {});
      const patch = { investigation: this.begun(investigator, reviewer.name, now) };
      return { result: null, change: { patch, history: [entry], quiet: true } };
    });
    if (changed) this.notifications.changed(runId);
    this.begin(runId);
    return record.run;
  }

  /** Idempotent. */
  async stop(runId: string, reviewer: Reviewer): Promise<Run> {
    const { record, changed } = await this.runs.change(runId, ({ run }, now) => {
      const { investigation } = run;
      if (investigation?.state !== 'running') return { result: null };
      const ended = { ...investigation, state: 'ended' as const, ended_at: now, reason: 'stopped' as const };
      const entry = decision('investigation.stop', now, reviewer, {});
      return { result: null, change: { patch: { investigation: ended }, history: [entry], quiet: true } };
    });
    if (changed) this.notifications.changed(runId);
    this.active.get(runId)?.abort(gone());
    this.active.delete(runId);
    return record.run;
  }

  private begun(investigator: Investigator, person: string | null, now: string): Investigation {
    const by: InvestigatedBy = { kind: 'model', name: investigator.model, person };
    return {
      ...{ state: 'running', by, started_at: now, ended_at: null, questions: 0, tokens: 0 },
      cost: this.policy.investigation.price === null ? null : 0,
      ...{ finding: null, checks: [], probability: null, measured: false, reason: null, detail: null },
      ranking: [],
    };
  }

  private async work(runId: string, stopping: AbortController): Promise<void> {
    const { run } = await this.runs.get(runId);
    const { investigator } = this;
    if (!isStarted(run)) return;
    const { started_at, cost } = run.investigation;
    const prompt = investigator?.promptVersion ?? null;
    const own = { values: this.values, clock: this.clock, engineId: this.runs.engineId };
    const parts = { ...own, shared: this.runs.store.shared === true };
    const journal = await takeJournal(run, { started_at, prompt, cost: cost === null ? null : 0 }, parts);
    if (journal === null) return;
    const working = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.tasks.signal, working.signal]);
    const alive = this.stayAlive(run, journal, { signal, working });
    try {
      requireAwaited(run, run);
      if (investigator === null || this.policy.investigation.when === 'off')
        return await this.end(run, journal, {
          reason: 'interrupted',
          detail: null,
        });
      if (journal.now().restarts === 0 && journal.now().questions === 0) await this.bill.begin();
      await this.conclude(run, journal, investigator, signal);
    } catch (error) {
      const isHostAway = isCulpritError(error, 'code_host_unavailable') && error.retryable;
      if (isHostAway) this.logger.warn({ run_id: runId, err: error }, 'an investigation continues later');
      if (isHostAway || this.tasks.signal.aborted) return void (await journal.leave().catch(() => {}));
      if (isCulpritError(error, 'version_conflict')) return;
      const ending = endingOf(error);
      if (ending === null) throw error;
      if (!isCulpritError(error)) this.logger.warn({ run_id: runId, err: error }, 'an investigation failed');
      await this.end(run, journal, ending);
    } finally {
      working.abort();
      await alive;
    }
  }

  /** Renews the lease, and ends the work once the run has left Gate 2 or nobody waits for the result any more. */
  private async stayAlive(
    run: Started,
    journal: OpenJournal,
    { signal, working }: { readonly signal: AbortSignal; readonly working: AbortController },
  ): Promise<void> {
    try {
      for (;;) {
        await this.clock.sleep(RENEW_MS, signal, true);
        await journal.write(() => ({}));
        requireAwaited((await this.runs.get(run.run_id)).run, run);
      }
    } catch (error) {
      working.abort(error);
    }
  }

  private async conclude(
    run: Started,
    journal: OpenJournal,
    investigator: Investigator,
    signal: AbortSignal,
  ): Promise<void> {
    if (journal.now().restarts > MAX_RESTARTS)
      return this.end(run, journal, { reason: 'interrupted', detail: null });
    const msLeft = this.policy.investigation.ms - journal.now().ms;
    if (msLeft <= 0) return this.end(run, journal, { reason: 'seconds', detail: null });
    const scene = await this.conclusions.scene(run, signal);
    const round = (index: number, limit: AbortSignal) =>
      this.round(run, { ...scene, signal: limit }, { journal, investigator, index });
    const limit = timeLimit(msLeft, signal);
    const finding = await round(0, limit);
    if (finding === null) return this.end(run, journal, { reason: 'no_finding', detail: null });
    if (finding.none_probability >= 0.5)
      return this.end(run, journal, { reason: 'no_commit', detail: null }, { finding, checks: [] });
    const facts = { model: investigator.model, questions: journal.now().rounds[0]?.asked ?? 0 };
    const once = await this.conclusions.judge(finding, scene, { ...facts, agreement: null });
    if (once.rated === null) return this.end(run, journal, { reason: 'check_failed', detail: null }, once);
    const repeats = paysToRepeat(once.rated.probability) && this.mayRepeat(journal);
    const agreement = repeats ? await this.agreement(once, scene, () => round(1, limit)) : null;
    const judged =
      agreement === null ? once : await this.conclusions.judge(finding, scene, { ...facts, agreement });
    await this.settle(run, journal, judged);
  }

  private mayRepeat(journal: OpenJournal): boolean {
    const { questions } = this.policy.investigation;
    const { rounds, questions: asked } = journal.now();
    return rounds.length > 1 || questions - asked >= questions * REPEAT_SHARE;
  }

  /** Whether a second round names the same commit. `null`: a limit ended it, so nobody knows. */
  private async agreement(
    { finding }: Judged,
    { codeHost, bundle, repository, revision, signal }: AskParts,
    repeat: () => Promise<Finding | null>,
  ): Promise<boolean | null> {
    try {
      const named = (await repeat())?.commits[0];
      if (named === undefined) return false;
      const { contained } = questionsOf(codeHost, bundle);
      return (await contained(repository, revision, named.toLowerCase(), signal)) === finding.commits[0];
    } catch (error) {
      const reason = endingOf(error)?.reason;
      if (signal.aborted || reason === undefined || !LIMITS.has(reason)) throw error;
      return null;
    }
  }

  /** One round of questions, unless a process that ended had finished it. */
  private async round(
    run: Started,
    scene: AskParts,
    { journal, investigator, index }: { journal: OpenJournal; investigator: Investigator; index: number },
  ): Promise<Finding | null> {
    const finished = journal.now().rounds[index];
    if (finished !== undefined) return finished.finding;
    const { signal } = scene;
    const answer = (question: { readonly name: string; readonly input: unknown }) => ask(scene, question);
    const [crash, ranking] = await Promise.all([
      answer({ name: 'show_crash', input: {} }),
      answer({ name: 'show_ranking', input: {} }),
    ]);
    const desk = openDesk({
      ...{ journal, answer, signal, round: index, crash: crash.text, ranking: ranking.text },
      questions: availableQuestions(scene.codeHost),
      ...{ bill: this.bill, policy: this.policy.investigation, clock: this.clock },
      onAsked: async ({ name, input, ms }) => {
        this.progress.report(run, { name: 'asked', ms, detail: { question: name, input }, error: null });
        await this.show(run, journal);
      },
    });
    const limited = () => {
      const limit = desk.reached();
      return limit === null
        ? null
        : new CulpritError('investigation_limit', NO_EFFECT[limit], { reason: limit });
    };
    try {
      const found = await untilAborted(investigator.investigate(desk, signal), signal);
      const finding = found && this.conclusions.cleaned(found);
      const limit = finding === null ? limited() : null;
      if (limit !== null) throw limit;
      await journal.write(({ rounds, asked }) => ({ rounds: [...rounds, { asked: asked.length, finding }] }));
      return finding;
    } catch (error) {
      throw signal.aborted ? error : (limited() ?? error);
    }
  }

  /** Shows how far it is. */
  private async show(run: Started, journal: OpenJournal): Promise<void> {
    await this.runs.change(run.run_id, ({ run: current }) => {
      requireAwaited(current, run);
      const { investigation, remarks = 0 } = current;
      const patch = { investigation: investigation && { ...investigation, ...figuresOf(journal) } };
      return {
        result: null,
        change: { patch: { ...patch, remarks: remarks + 1 }, history: [], quiet: true },
      };
    });
  }

  private async settle(
    run: Started,
    journal: OpenJournal,
    { finding, checks, rated }: Judged,
  ): Promise<void> {
    if (rated === null) return;
    const { by } = run.investigation;
    const { prompt, asked } = journal.now();
    const figures = figuresOf(journal);
    const investigation = { ...run.investigation, ...figures, finding, checks, ...rated };
    const { questions } = figures;
    await this.conclusions.settle(run, {
      investigation,
      investigated: { by, finding, checks, ...rated, questions, prompt, asked },
      isAwaited: (current) => isAwaited(current, run),
    });
  }

  private async end(
    run: Started,
    journal: OpenJournal,
    { reason, detail }: Ending,
    { finding, checks }: Pick<Investigation, 'finding' | 'checks'> = { finding: null, checks: [] },
  ): Promise<void> {
    await this.conclusions.settle(run, {
      investigation: { ...run.investigation, ...figuresOf(journal), finding, checks, reason, detail },
      investigated: null,
      isAwaited: (current) => isAwaited(current, run),
    });
  }
}

const LIMITS: ReadonlySet<NoEffect> = new Set(['questions', 'tokens', 'seconds', 'cost', 'daily_cost']);

function figuresOf(journal: OpenJournal): Pick<Investigation, 'questions' | 'tokens' | 'cost'> {
  const { questions, tokens, cost } = journal.now();
  return { questions, tokens, cost };
}

function isStarted(run: Run): run is Started {
  return run.investigation?.state === 'running';
}

function isAwaited({ investigation, cycle }: Run, started: Started): boolean {
  return (
    cycle === started.cycle &&
    investigation?.state === 'running' &&
    investigation.started_at === started.investigation.started_at
  );
}

/** Throws once the result has no effect any more. */
function requireAwaited(current: Run, started: Started): void {
  if (!isAwaited(current, started)) throw gone();
  if (current.state === 'staged_draft') return;
  throw new CulpritError('investigation_limit', NO_EFFECT.left, { reason: 'left' });
}

function gone(): CulpritError {
  return new CulpritError('version_conflict', 'Nobody waits for the result of this investigation any more.');
}

/** Up to an investigation that nobody asked for. An investigator of another author says nothing about its model. */
function isCapable(investigator: Investigator): boolean {
  if (investigator.status === undefined) return true;
  const { investigates } = investigator.status();
  return investigates === 'loop' || investigates === 'steps';
}

function isUnable(investigator: Investigator): boolean {
  return investigator.status?.().investigates === 'no';
}

/** How an error ends an investigation. `null`: it continues later, because the storage or this process failed. */
function endingOf(error: unknown): Ending | null {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return { reason: 'seconds', detail: null };
  if (!isCulpritError(error))
    return { reason: 'model_failed', detail: 'The investigator failed. See the log for details.' };
  if (error.code === 'investigation_limit' && Object.hasOwn(NO_EFFECT, error.reason ?? ''))
    return { reason: error.reason as NoEffect, detail: null };
  if (LATER.has(error.code)) return null;
  return { reason: 'model_failed', detail: error.message };
}
const LATER: ReadonlySet<string> = new Set([
  'storage_unavailable',
  'closed',
  'version_conflict',
  'run_not_found',
]);
