import { inject, injectable } from '../di/inject.js';
import type { Event } from '../domain/event.js';
import type { EvidenceBundle } from '../domain/evidence.js';
import type { HistoryEntry, Reviewer } from '../domain/history.js';
import type { OccurrenceEntry } from '../domain/occurrence-row.js';
import type { QuotaUsage } from '../domain/quota.js';
import type { Run, RunPage } from '../domain/run.js';
import { NO_STATISTICS, type RunStatistics, readStatistics } from '../domain/run-statistics.js';
import type { RunStory } from '../domain/story.js';
import type { IssuePreview } from '../engine-results.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import { stateConflict } from '../operations/refusals.js';
import { briefSource } from '../pipeline/brief/brief-source.js';
import { composeBrief } from '../pipeline/brief/compose-brief.js';
import { type DraftDifference, draftDifference } from '../pipeline/draft-difference.js';
import { type Outlook, type PlacedStack, placeFrames } from '../pipeline/evidence/placed-frames.js';
import { readEvidence } from '../pipeline/evidence/readable.js';
import { evidenceKey } from '../pipeline/evidence-key.js';
import { type HistoryChain, readChain } from '../pipeline/history-chain.js';
import { Issues } from '../pipeline/issue.js';
import { crashException } from '../pipeline/locate/crash-exception.js';
import { outlookOf } from '../pipeline/outlook.js';
import { Sanitiser } from '../pipeline/sanitise/index.js';
import { missingBefore } from '../pipeline/source-maps/missing-maps.js';
import { Stories } from '../pipeline/story.js';
import { type PublicationProof, verifyPublication } from '../pipeline/verify-publication.js';
import { Clock } from '../ports/clock.js';
import { Publisher } from '../ports/publisher.js';
import { RunHistory } from '../ports/run-history.js';
import { type OccurrencePage, type OccurrenceQuery, RunOccurrences } from '../ports/run-occurrences.js';
import type { RunQuery } from '../ports/run-store.js';
import { RunUsage } from '../ports/run-usage.js';
import { RunValues, type ValueCount, type ValuesQuery } from '../ports/run-values.js';
import { SourceMaps } from '../ports/source-maps.js';
import { Values } from '../ports/values.js';
import { timeLimit } from '../resilience/time-limit.js';
import { Runs } from '../runs/runs.js';
import { publisherOf } from '../runs/system-of.js';
import { Tasks } from '../runs/tasks.js';
import { AnalysisInputs } from './analysis-of.js';

/** Time limit of asking the code host what it would change. */
const EXPECT_MS = 5_000;
/** Time limit of looking up why no suspect can be found. */
const OUTLOOK_MS = 5_000;
const NO_OCCURRENCES: OccurrencePage = { occurrences: [], events: [], next: null };
/** The checks of the text that `Publisher.edits` is about. */
const EDITABLE: ReadonlySet<string> = new Set(['title', 'body']);
/** Occurrences of one page. */
const MAX_OCCURRENCES = 200;

export interface StoredOccurrence {
  readonly occurrence: OccurrenceEntry;
  readonly event: Event;
}

/** Reads what reviewers need before they decide. */
@injectable()
export class Reader {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(RunHistory) private readonly runHistory: RunHistory,
    @inject(RunOccurrences) private readonly runOccurrences: RunOccurrences | null,
    @inject(RunValues) private readonly runValues: RunValues | null,
    @inject(RunUsage) private readonly runUsage: RunUsage | null,
    @inject(Values) private readonly values: Values,
    @inject(Publisher) private readonly publisher: Publisher | null,
    @inject(SourceMaps) private readonly sourceMaps: SourceMaps | null,
    @inject(Sanitiser) private readonly sanitiser: Sanitiser,
    @inject(Clock) private readonly clock: Clock,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(AnalysisInputs) private readonly inputs: AnalysisInputs,
    @inject(Issues) private readonly issues: Issues,
    @inject(Stories) private readonly stories: Stories,
  ) {}

  page(query: RunQuery): Promise<RunPage> {
    return this.runs.store.page(query);
  }

  async quotaUsage(): Promise<readonly QuotaUsage[]> {
    return (await this.runUsage?.usage()) ?? [];
  }

  async searchValues(query: ValuesQuery): Promise<readonly ValueCount[]> {
    return (await this.runValues?.list(query)) ?? [];
  }

  async run(runId: string): Promise<Run> {
    return (await this.runs.get(runId)).run;
  }

  async history(runId: string): Promise<readonly HistoryEntry[]> {
    await this.runs.get(runId);
    const entries = await this.runHistory.history(runId);
    return entries.map(({ seal: _seal, ...entry }) => entry);
  }

  chain(runId: string): Promise<HistoryChain | null> {
    return readChain({ runStore: this.runs.store, runHistory: this.runHistory }, runId);
  }

  /** From the latest analysis, even if the run has returned to `staged_raw` since. */
  async evidence(runId: string): Promise<EvidenceBundle> {
    const { run } = await this.runs.get(runId);
    for (let cycle = run.cycle; cycle > 0; cycle--) {
      const kept = await this.values.get(evidenceKey(runId, cycle));
      if (kept !== undefined) return readEvidence(kept, (dirty) => this.sanitiser.text(dirty).value);
    }
    throw new CulpritError('not_found', 'The run has no evidence yet: it has not passed Gate 1.');
  }

  /** At Gate 1 the missing source maps and the outlook are those of now; without an analysis they are all that is known. */
  async stack(runId: string): Promise<PlacedStack> {
    const { signal } = this.tasks;
    const run = await this.run(runId);
    if (run.state !== 'staged_raw') return this.placed(runId);
    const [missing, outlook] = await Promise.all([
      missingBefore(run.event, this.sourceMaps, signal).catch(() => null),
      this.outlook(run, signal),
    ]);
    const now = {
      ...(missing === null || missing.length === 0 ? {} : { missing_source_maps: missing }),
      ...(outlook === null ? {} : { outlook }),
    };
    const analysed: PlacedStack = await this.placed(runId).catch((error: unknown) => {
      if (!isCulpritError(error, 'not_found')) throw error;
      return { exception: crashException(run.event)?.index ?? null, frames: [] };
    });
    if (missing === null) return { ...analysed, ...now };
    const { missing_source_maps: _then, ...rest } = analysed;
    return { ...rest, ...now };
  }

  private async placed(runId: string): Promise<PlacedStack> {
    return placeFrames(await this.evidence(runId), (dirty) => this.sanitiser.text(dirty).value);
  }

  /** `null` also if the code host does not answer in time: the run is shown without it. */
  private async outlook(run: Run, signal: AbortSignal): Promise<Outlook | null> {
    try {
      const { input, codeHost } = await this.inputs.of(run, { earlierIssue: null, reopens: null });
      const { sourceMaps } = this;
      return await outlookOf(input, { codeHost, sourceMaps, signal: timeLimit(OUTLOOK_MS, signal) });
    } catch {
      return null;
    }
  }

  async brief(runId: string): Promise<string> {
    const run = await this.run(runId);
    const bundle = await this.evidence(runId).catch((error: unknown) => {
      if (isCulpritError(error, 'not_found')) return null;
      throw error;
    });
    return composeBrief(briefSource(run, bundle, (dirty) => this.sanitiser.text(dirty).value));
  }

  async occurrences(runId: string, query: OccurrenceQuery): Promise<OccurrencePage> {
    const { limit, before } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_OCCURRENCES)
      throw new CulpritError('malformed', `"limit" must be an integer from 1 to ${MAX_OCCURRENCES}.`, {
        path: 'limit',
      });
    if (before !== undefined && !(Number.isSafeInteger(before) && before >= 1))
      throw new CulpritError('invalid_cursor', 'Ask for the first page again, without a cursor.');
    await this.runs.get(runId);
    return (await this.runOccurrences?.page(runId, query)) ?? NO_OCCURRENCES;
  }

  async occurrence(runId: string, number: number): Promise<StoredOccurrence> {
    await this.runs.get(runId);
    const found = await this.runOccurrences?.event(runId, number);
    if (!found)
      throw new CulpritError('not_found', `The event of occurrence ${number} of this run is not stored.`);
    return { occurrence: found.entry, event: found.event };
  }

  async statistics(runId: string): Promise<RunStatistics> {
    await this.runs.get(runId);
    const stored = (await this.runOccurrences?.statistics(runId)) ?? NO_STATISTICS;
    return readStatistics(stored, this.clock.now());
  }

  story(runId: string): Promise<RunStory> {
    return this.stories.of(runId);
  }

  async preview(runId: string, reviewer?: Pick<Reviewer, 'name'>): Promise<IssuePreview> {
    const record = await this.runs.get(runId);
    const { run } = record;
    if (run.draft === null)
      throw new CulpritError('not_found', 'The run has no draft yet: it has not passed Gate 1.');
    const issue = this.issues.toSign(record, reviewer?.name);
    const { title, body, repository, labels, assignees, reopens } = issue;
    if (reopens !== undefined) return { title, body, reopens, divergence: [] };
    const links = run.link_back ? { link_back: run.link_back.issue } : {};
    const divergence = await this.expected({ title, repository, labels, assignees });
    return { title, body, ...links, divergence };
  }

  /** The preview is shown even if the code host does not answer; then nothing is expected. */
  private async expected(issue: Parameters<NonNullable<Publisher['expect']>>[0]): Promise<readonly string[]> {
    const asked = this.publisher?.expect?.(issue, timeLimit(EXPECT_MS));
    return (await asked?.catch(() => [])) ?? [];
  }

  async draftDifference(runId: string): Promise<DraftDifference> {
    const { run } = await this.runs.get(runId);
    if (run.draft === null)
      throw new CulpritError('not_found', 'The run has no draft yet: it has not passed Gate 1.');
    const { draft } = await this.evidence(runId);
    return draftDifference(draft, run.draft);
  }

  async verify(runId: string): Promise<PublicationProof> {
    const { signal } = this.tasks;
    const record = await this.runs.get(runId);
    const { run } = record;
    if (run.publication === null || run.draft === null) throw stateConflict(run, 'Verifying an issue');
    const text = await this.issues.published(record, run.publication, signal);
    const { expected, issue } = text;
    const proof = await verifyPublication({
      run,
      ...text,
      evidence: await this.evidence(runId),
      history: await this.history(runId),
    });
    const same = proof.steps.every(({ name, ok }) => ok || !EDITABLE.has(name));
    if (same || issue === null || expected.reopens !== undefined || this.publisher === null) return proof;
    // The difference is proven without it.
    const asked = publisherOf(this.publisher, expected.repository).edits?.last(
      expected.repository,
      run.publication.number,
      signal,
    );
    const edited = (await asked?.catch(() => null)) ?? null;
    return edited === null ? proof : { ...proof, edited };
  }
}
