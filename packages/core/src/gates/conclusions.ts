import { inject, injectable } from '../di/inject.js';
import { step } from '../domain/entries.js';
import type { EvidenceBundle } from '../domain/evidence.js';
import type { NewHistoryEntry } from '../domain/history.js';
import type { Finding, Investigated, Investigation } from '../domain/investigation.js';
import type { Run } from '../domain/run.js';
import { EnginePolicy } from '../engine-api.js';
import { CulpritError } from '../errors/error.js';
import { stateConflict } from '../operations/refusals.js';
import type { AnalysisResult } from '../pipeline/analysis.js';
import { evidenceKey } from '../pipeline/evidence-key.js';
import type { AskParts } from '../pipeline/investigate/ask.js';
import { type Checked, checkFinding } from '../pipeline/investigate/check-finding.js';
import { derive } from '../pipeline/investigate/derive.js';
import { storedFit } from '../pipeline/investigate/model-fit.js';
import { type FindingFacts, probabilityOf } from '../pipeline/investigate/probability.js';
import { questionsOf } from '../pipeline/investigate/repository.js';
import { Notifications } from '../pipeline/notify.js';
import { Sanitiser } from '../pipeline/sanitise/index.js';
import { Clock } from '../ports/clock.js';
import { CodeHost } from '../ports/code-host.js';
import { type Explainer, Explainers } from '../ports/explainer.js';
import { Values } from '../ports/values.js';
import { timeLimit } from '../resilience/time-limit.js';
import { Runs } from '../runs/runs.js';
import { codeHostOf } from '../runs/system-of.js';
import { Tasks } from '../runs/tasks.js';

/** A finding that passed its checks or did not, and how likely its first commit is the cause. */
export interface Judged extends Checked {
  /** `null`: a check failed. */
  readonly rated: { readonly probability: number; readonly measured: boolean } | null;
}

/** What a run is changed to. */
export interface Settling {
  /** As it is shown; the state, the reason and the ranking are set here. */
  readonly investigation: Investigation;
  /** `null`: it has no effect. */
  readonly investigated: Investigated | null;
  /** Whether the run still waits for this result. */
  readonly isAwaited: (run: Run) => boolean;
  /** Before the entry about what changed. */
  readonly history?: (now: string) => readonly NewHistoryEntry[];
}

/** What comes of a finding: its checks, its probability, and the draft that is derived again. */
@injectable()
export class Conclusions {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Values) private readonly values: Values,
    @inject(CodeHost) private readonly codeHost: CodeHost | null,
    @inject(Explainers) private readonly explainers: readonly Explainer[],
    @inject(Sanitiser) private readonly sanitiser: Sanitiser,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Notifications) private readonly notifications: Notifications,
  ) {}

  /** What questions about a run are answered from. Rejects with `state_conflict` if its crashed revision cannot be asked about. */
  async scene(run: Run, signal: AbortSignal): Promise<AskParts> {
    const bundle = await this.evidence(run);
    const repository = bundle?.config.repository;
    if (
      bundle === null ||
      this.codeHost === null ||
      typeof repository !== 'string' ||
      run.revision === null
    ) {
      const detail =
        run.state === 'staged_raw'
          ? 'Approve Gate 1 first: it finds the revision that questions are about.'
          : `The run has no crashed revision in a repository that can be asked about. ${run.no_suspect?.detail ?? ''}`;
      throw new CulpritError('state_conflict', detail.trim(), { members: { state: run.state } });
    }
    const { clock } = this;
    const offline = { codeHost: null, explainers: [], explainMs: 0, clock, signal };
    return {
      codeHost: codeHostOf(this.codeHost, repository),
      ...{ repository, bundle, run, signal },
      revision: run.revision.sha,
      suspects: followsFinding(run) ? (await derive(bundle, null, offline)).suspects : run.suspects,
      scrub: (dirty) => this.sanitiser.text(dirty).value,
    };
  }

  /** `model`: its fit is used; `null`: there is none. Rejects like a `CodeHost`. */
  async judge(
    finding: Finding,
    scene: AskParts,
    { model, ...facts }: Pick<FindingFacts, 'agreement' | 'questions'> & { readonly model: string | null },
  ): Promise<Judged> {
    const questions = questionsOf(scene.codeHost, scene.bundle);
    const checked = await checkFinding(finding, { ...scene, questions });
    if (checked.checks.some(({ ok }) => !ok)) return { ...checked, rated: null };
    const [first] = checked.finding.commits;
    const ranked = rankingOf(scene.run).find(({ sha }) => sha === first);
    const stated = finding.probability;
    const fit = model === null ? null : await storedFit(this.values, model).get();
    return { ...checked, rated: probabilityOf({ ...facts, stated, ranking: ranked?.probability ?? 0 }, fit) };
  }

  /**
   * Ends an investigation. A finding that passed changes the draft only if it waits for Gate 2 as it was when the investigation started;
   * otherwise it is offered, or too late.
   */
  async settle(run: Run, settling: Settling): Promise<Run> {
    const { investigated } = settling;
    const { run: current } = await this.runs.get(run.run_id);
    const isUsable = investigated !== null && settling.isAwaited(current) && hindrance(current, run) === null;
    if (!isUsable) {
      const after = await this.change(run, settling, null);
      await this.mendEvidence(after);
      return after;
    }
    return this.replaceEvidence(run, investigated, (result) => this.change(run, settling, result));
  }

  /** A process that ended between the evidence of a finding and its draft left evidence that the draft does not follow. */
  private async mendEvidence(run: Run): Promise<void> {
    const bundle = await this.evidence(run);
    if (bundle === null || followsFinding(run) || !bundle.calls.some(({ port }) => port === 'investigator'))
      return;
    await this.replaceEvidence(run, null, async () => run, true);
  }

  /**
   * Derives the draft again, and stores the evidence before `change` stores the draft. The evidence of before is restored if the draft
   * did not become the derived one, unless `keeps` is set.
   */
  async replaceEvidence(
    run: Run,
    investigated: Investigated | null,
    change: (result: AnalysisResult) => Promise<Run>,
    keeps = false,
  ): Promise<Run> {
    const key = evidenceKey(run.run_id, run.cycle);
    const before = await this.values.get(key);
    if (before === undefined) throw stateConflict(run, 'Deriving the draft again');
    const result = await derive(JSON.parse(before) as EvidenceBundle, investigated, {
      codeHost: this.codeHost && codeHostOf(this.codeHost, repositoryIn(before)),
      explainers: this.explainers,
      explainMs: this.policy.explainMs,
      clock: this.clock,
      signal: timeLimit(this.policy.analysisMs, this.tasks.signal),
    });
    await this.values.set(key, JSON.stringify(result.evidence));
    const changed = await change(result);
    if (!keeps && changed.draft?.digest !== result.draft.digest) await this.values.set(key, before);
    return changed;
  }

  private async change(run: Run, settling: Settling, result: AnalysisResult | null): Promise<Run> {
    const { investigation, investigated, isAwaited, history } = settling;
    const { record, changed } = await this.runs.change(run.run_id, ({ run: current }, now) => {
      if (current.cycle !== run.cycle || !isAwaited(current)) return { result: null };
      const hinders = investigated === null ? investigation.reason : hindrance(current, run);
      const ended = { ...investigation, ended_at: now, reason: hinders, ranking: rankingOf(current) };
      const before = history?.(now) ?? [];
      if (result === null || hinders !== null) {
        const state = hinders === 'edited' ? 'offered' : 'ended';
        const entry = step('investigation.ended', now, { detail: { reason: hinders, state } });
        const shown = { ...ended, state, ranking: investigation.ranking } as const;
        return { result: null, change: { patch: { investigation: shown }, history: [...before, entry] } };
      }
      const patch = { ...derivedPatch(result), investigation: { ...ended, state: 'used' as const } };
      return { result: null, change: { patch, history: [...before, doneEntry(now, current, result)] } };
    });
    if (changed) this.notifications.changed(run.run_id);
    return record.run;
  }

  private async evidence(run: Run): Promise<EvidenceBundle | null> {
    const kept = await this.values.get(evidenceKey(run.run_id, run.cycle));
    return kept === undefined ? null : (JSON.parse(kept) as EvidenceBundle);
  }
}

/** Why a finding does not change the draft; `null`: nothing hinders it. */
function hindrance(current: Run, started: Run): 'left' | 'edited' | null {
  if (current.state !== 'staged_draft' || current.cycle !== started.cycle) return 'left';
  const { draft } = current;
  return draft === null || draft.edited_by !== null || draft.digest !== started.draft?.digest
    ? 'edited'
    : null;
}

/** What the run takes of an analysis that derived it again. */
export function derivedPatch(result: AnalysisResult) {
  const { revision, suspects, no_suspect, ownership, explanation, draft } = result;
  return { revision, suspects, no_suspect, ownership, explanation, draft };
}

function doneEntry(now: string, before: Run, { suspects, draft }: AnalysisResult): NewHistoryEntry {
  const detail = {
    before: before.draft?.digest ?? null,
    from: before.suspects[0]?.sha ?? null,
    to: suspects[0]?.sha ?? null,
    probability: suspects[0]?.probability ?? null,
  };
  return step('investigation.done', now, { digest: draft.digest, detail });
}

/** Whether the suspects follow a finding. */
export function followsFinding({ suspects: [first] }: Pick<Run, 'suspects'>): boolean {
  return first?.found_by !== undefined;
}

/** The suspects by the ranking alone. */
export function rankingOf(run: Run): Investigation['ranking'] {
  if (followsFinding(run)) return run.investigation?.ranking ?? [];
  return run.suspects.map(({ sha, title, probability, verdict }) => ({ sha, title, probability, verdict }));
}

function repositoryIn(bundle: string): string {
  const { config } = JSON.parse(bundle) as EvidenceBundle;
  return typeof config.repository === 'string' ? config.repository : '';
}
