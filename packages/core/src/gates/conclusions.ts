import { inject, injectable } from '../di/inject.js';
import { step } from '../domain/entries.js';
import type { EvidenceBundle } from '../domain/evidence.js';
import type { NewHistoryEntry } from '../domain/history.js';
import {
  type Finding,
  type Investigated,
  type Investigation,
  MAX_QUOTE,
  type NoEffect,
} from '../domain/investigation.js';
import type { Run } from '../domain/run.js';
import { EnginePolicy } from '../engine-api.js';
import { CulpritError } from '../errors/error.js';
import { stateConflict } from '../operations/refusals.js';
import type { AnalysisResult } from '../pipeline/analysis.js';
import { investigatedIn, replayingExplainers } from '../pipeline/evidence/replay-parts.js';
import { evidenceKey } from '../pipeline/evidence-key.js';
import type { AskParts } from '../pipeline/investigate/ask.js';
import { type Checked, checkFinding } from '../pipeline/investigate/check-finding.js';
import { derive } from '../pipeline/investigate/derive.js';
import { storedFit } from '../pipeline/investigate/model-fit.js';
import { type FindingFacts, probabilityOf } from '../pipeline/investigate/probability.js';
import { questionsOf } from '../pipeline/investigate/repository.js';
import { Notifications } from '../pipeline/notify.js';
import { PendingFollowUps } from '../pipeline/pending-follow-ups.js';
import { Sanitiser } from '../pipeline/sanitise/index.js';
import { Clock } from '../ports/clock.js';
import { CodeHost } from '../ports/code-host.js';
import { type Explainer, Explainers } from '../ports/explainer.js';
import { RunHistory } from '../ports/run-history.js';
import { Values } from '../ports/values.js';
import { keyedMutex } from '../resilience/mutex.js';
import { timeLimit } from '../resilience/time-limit.js';
import { Runs } from '../runs/runs.js';
import { codeHostOf } from '../runs/system-of.js';
import { Tasks } from '../runs/tasks.js';
import { shownJournal } from './investigation-journal.js';

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

/** What became of a run. */
export interface Settled {
  readonly run: Run;
  /** The run shows what it was changed to. */
  readonly isShown: boolean;
  /** Why the finding of before stays. */
  readonly refused?: NoEffect | null;
}

/** An investigator that is less sure of its finding is right too seldom: docs/accuracy.md. */
const MIN_STATED = 0.1;
/** Of deriving a draft again while its evidence changes. */
const ATTEMPTS = 3;

/** What comes of a finding: its checks, its probability, and the draft that is derived again. */
@injectable()
export class Conclusions {
  private readonly inTurn = keyedMutex<string>();

  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(RunHistory) private readonly runHistory: RunHistory,
    @inject(Values) private readonly values: Values,
    @inject(CodeHost) private readonly codeHost: CodeHost | null,
    @inject(Explainers) private readonly explainers: readonly Explainer[],
    @inject(Sanitiser) private readonly sanitiser: Sanitiser,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(PendingFollowUps) private readonly pending: PendingFollowUps,
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
    return {
      codeHost: codeHostOf(this.codeHost, repository),
      ...{ repository, bundle, run, signal },
      revision: run.revision.sha,
      suspects: async () => {
        if (!followsFinding(run)) return run.suspects;
        const offline = { codeHost: null, explainers: [], explainMs: 0, clock: this.clock, signal };
        return (await derive(bundle, null, offline)).suspects;
      },
      scrub: (dirty) => this.sanitiser.text(dirty).value,
    };
  }

  /** Rejects with `investigation_limit` if this was done so often in the cycle. */
  async requireFewer(
    runId: string,
    name: 'finding.submit' | 'investigation.start',
    most: number,
  ): Promise<void> {
    const entries = await this.runHistory.history(runId);
    const start = entries.findLastIndex((entry) => entry.name === 'gate1.approve');
    if (entries.slice(start + 1).filter((entry) => entry.name === name).length < most) return;
    const detail = `This is possible ${most} times for one analysis of a run. Approve Gate 1 again first.`;
    throw new CulpritError('investigation_limit', detail);
  }

  /** Without secrets and personal data: its texts are not checked, or kept although a check fails. */
  cleaned({ mechanism, quote, place, ...rest }: Finding): Finding {
    const clean = (dirty: string, most: number) => this.sanitiser.text(dirty).value.slice(0, most);
    return {
      ...rest,
      mechanism: clean(mechanism, 200),
      quote: clean(quote, MAX_QUOTE),
      place: { ...place, path: clean(place.path, 500) },
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
   * Ends an investigation. A finding that passed changes the draft only if it waits for Gate 2 unedited, and if it is sure enough;
   * otherwise it is offered, or too late. Without effect it never replaces an earlier finding that has one.
   */
  async settle(run: Run, settling: Settling): Promise<Settled> {
    const { investigated } = settling;
    return this.inTurn(run.run_id, async () => {
      const { run: current } = await this.runs.get(run.run_id);
      const since = { ...run, draft: current.draft };
      const isUsable =
        investigated !== null &&
        settling.isAwaited(current) &&
        hindrance(current, since, investigated) === null;
      if (isUsable)
        return this.replace(since, investigated, (result) => this.change(since, settling, result));
      return this.change(since, settling, null);
    });
  }

  /** Derives the draft again, in turn with whatever else does: see `replace`. */
  replaceEvidence<Done extends Settled>(
    run: Run,
    investigated: Investigated | null,
    change: (result: AnalysisResult) => Promise<Done>,
  ): Promise<Done> {
    return this.inTurn(run.run_id, () => this.replace(run, investigated, change));
  }

  /** A process that ended between the evidence and the draft left evidence that the suspects do not follow. */
  mendEvidence(runId: string): Promise<void> {
    return this.inTurn(runId, async () => {
      const { run } = await this.runs.get(runId);
      const bundle = await this.evidence(run);
      if (run.draft === null || bundle === null || agrees(bundle, run)) return;
      const { explanation } = run;
      const kept: readonly Explainer[] =
        explanation === null ? [] : [{ name: 'kept', explain: async () => explanation }];
      const investigated = followsFinding(run) ? await this.investigated(run) : null;
      await this.replace(run, investigated, async () => ({ run, isShown: true }), kept);
    });
  }

  /**
   * Derives the draft again, and stores the evidence before `change` stores the draft; the evidence of before is restored if the draft did
   * not become the derived one. Evidence that changed meanwhile, such as by an erasure, is never overwritten: its draft is derived again.
   * The explainers are asked once, and only about another first suspect.
   */
  private async replace<Done extends Settled>(
    run: Run,
    investigated: Investigated | null,
    change: (result: AnalysisResult) => Promise<Done>,
    kept?: readonly Explainer[],
  ): Promise<Done> {
    const key = evidenceKey(run.run_id, run.cycle);
    const first = investigated === null ? rankingOf(run)[0]?.sha : investigated.finding.commits[0];
    let explainers = kept ?? (first === run.suspects[0]?.sha ? undefined : this.explainers);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const before = await this.values.get(key);
      if (before === undefined) throw stateConflict(run, 'Deriving the draft again');
      const bundle = JSON.parse(before) as EvidenceBundle;
      const result = await derive(bundle, investigated, {
        codeHost: this.codeHost && codeHostOf(this.codeHost, repositoryIn(bundle)),
        explainers: explainers ?? replayingExplainers(bundle),
        explainMs: this.policy.explainMs,
        clock: this.clock,
        signal: timeLimit(this.policy.analysisMs, this.tasks.signal),
      });
      explainers = replayingExplainers(result.evidence);
      const derived = JSON.stringify(result.evidence);
      // So that it is mended if this process ends between here and the draft.
      await this.pending.add(run.run_id);
      const put = (from: string, to: string) =>
        this.values.change(key, (stored) => (stored === from ? to : undefined));
      if ((await put(before, derived)) !== derived) continue;
      try {
        const done = await change(result);
        if (kept === undefined && done.run.draft?.digest !== result.draft.digest) await put(derived, before);
        return done;
      } catch (error) {
        // What cannot be restored now is mended later.
        await put(derived, before).catch(() => {});
        throw error;
      }
    }
    throw new CulpritError('version_conflict', 'The evidence of this run has just changed. Try again.');
  }

  private async change(run: Run, settling: Settling, result: AnalysisResult | null): Promise<Settled> {
    const { investigation, investigated, isAwaited, history } = settling;
    const {
      record,
      changed,
      result: refused,
    } = await this.runs.change<NoEffect | null>(run.run_id, ({ run: current }, now) => {
      if (current.cycle !== run.cycle || !isAwaited(current)) return { result: null };
      const hinders =
        investigated === null
          ? investigation.reason
          : (hindrance(current, run, investigated) ?? (result === null ? 'edited' : null));
      const ended = { ...investigation, ended_at: now, reason: hinders, ranking: rankingOf(current) };
      const before = history?.(now) ?? [];
      if (result === null || hinders !== null) {
        const state = hinders === 'edited' || hinders === 'unsure' ? 'offered' : 'ended';
        const entry = step('investigation.ended', now, { detail: { reason: hinders, state } });
        const entries = [...before, entry];
        if (outweighs(current, investigation))
          return { result: hinders, change: { patch: {}, history: entries, quiet: true } };
        const shown = { ...ended, state, ranking: investigation.ranking } as const;
        return { result: null, change: { patch: { investigation: shown }, history: entries } };
      }
      const patch = { ...derivedPatch(result), investigation: { ...ended, state: 'used' as const } };
      return { result: null, change: { patch, history: [...before, doneEntry(now, current, result)] } };
    });
    if (changed) this.notifications.changed(run.run_id);
    return { run: record.run, isShown: changed && refused === null, refused };
  }

  /** The finding of the run's investigation. Rejects with `state_conflict` unless it passed its checks. */
  async investigated(run: Run): Promise<Investigated> {
    const { investigation } = run;
    if (!investigation?.finding || investigation.probability === null) {
      const detail = 'No investigation of this run has a finding that passed its checks.';
      throw new CulpritError('state_conflict', detail, { members: { state: run.state } });
    }
    const { by, finding, checks, probability, measured, questions } = investigation;
    const { prompt = null, asked = [] } = (await shownJournal(this.values, run)) ?? {};
    return { by, finding, checks, probability, measured, questions, prompt, asked };
  }

  private async evidence(run: Run): Promise<EvidenceBundle | null> {
    const kept = await this.values.get(evidenceKey(run.run_id, run.cycle));
    return kept === undefined ? null : (JSON.parse(kept) as EvidenceBundle);
  }
}

/** Why a finding does not change the draft; `null`: nothing hinders it. `since`: the run with the draft that was derived again. */
function hindrance(
  current: Run,
  since: Run,
  { finding, probability }: Investigated,
): 'left' | 'edited' | 'unsure' | null {
  const { state, cycle, draft, suspects } = current;
  if (state !== 'staged_draft' || cycle !== since.cycle) return 'left';
  if (draft === null || draft.edited_by !== null || draft.digest !== since.draft?.digest) return 'edited';
  const other = followsFinding(current) ? (suspects[0]?.probability ?? 0) : 0;
  return finding.probability < MIN_STATED || probability < other ? 'unsure' : null;
}

/** Whether the run has a finding with an effect, or waits for one, that a finding without an effect must not replace. */
function outweighs(current: Run, { by, probability: found }: Investigation): boolean {
  const { state, probability = null } = current.investigation ?? {};
  if (state === 'running') return by.kind === 'agent';
  return probability !== null && (followsFinding(current) || (found ?? 0) < probability);
}

/** Whether the suspects follow the finding of the evidence, or both follow none. */
function agrees(bundle: EvidenceBundle, { suspects: [first] }: Run): boolean {
  const used = investigatedIn(bundle);
  if (used === null || first?.found_by === undefined) return used === null && first?.found_by === undefined;
  const { by, finding, probability } = used;
  return (
    finding.commits[0] === first.sha &&
    probability === first.probability &&
    by.name === first.found_by.by.name
  );
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

function repositoryIn({ config }: EvidenceBundle): string {
  return typeof config.repository === 'string' ? config.repository : '';
}
