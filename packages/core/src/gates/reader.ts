import type { Event } from '../domain/event.js';
import type { EvidenceBundle } from '../domain/evidence.js';
import type { HistoryEntry, Reviewer } from '../domain/history.js';
import type { OccurrenceEntry } from '../domain/occurrence-row.js';
import type { Run } from '../domain/run.js';
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
import { issueToSign, publishedText } from '../pipeline/issue.js';
import { crashException } from '../pipeline/locate/crash-exception.js';
import { outlookOf } from '../pipeline/outlook.js';
import { missingBefore } from '../pipeline/source-maps/missing-maps.js';
import { type StoryParts, storyOf } from '../pipeline/story.js';
import { type PublicationProof, verifyPublication } from '../pipeline/verify-publication.js';
import type { Publisher } from '../ports/publisher.js';
import type { OccurrencePage, OccurrenceQuery } from '../ports/run-occurrences.js';
import type { RunPage, RunQuery } from '../ports/run-store.js';
import type { ValueCount, ValuesQuery } from '../ports/run-values.js';
import { timeLimit } from '../resilience/time-limit.js';
import { getRun } from '../runs/change-run.js';
import type { EngineServices } from '../runs/services.js';
import { publisherOf } from '../runs/system-of.js';
import { type AnalysisOfParts, analysisOf } from './analysis-of.js';

/** Time limit of asking the code host what it would change. */
const EXPECT_MS = 5_000;
/** Time limit of looking up what stands in the way of a suspect. */
const OUTLOOK_MS = 5_000;
const NO_OCCURRENCES: OccurrencePage = { occurrences: [], events: [], next: null };
/** The checks of the text that `Publisher.edits` is about. */
const EDITABLE: ReadonlySet<string> = new Set(['title', 'body']);
/** Occurrences of one page. */
const MAX_OCCURRENCES = 200;

interface StoredOccurrence {
  readonly occurrence: OccurrenceEntry;
  readonly event: Event;
}

/** The ports and services that Reader uses. */
export type ReaderParts = Pick<
  EngineServices,
  | 'runStore'
  | 'runHistory'
  | 'runOccurrences'
  | 'runValues'
  | 'values'
  | 'publisher'
  | 'install'
  | 'sanitiser'
  | 'clock'
  | 'sourceMaps'
> &
  StoryParts &
  AnalysisOfParts;

/** Reads what reviewers need before they decide. */
export class Reader {
  constructor(private readonly parts: ReaderParts) {}

  page(query: RunQuery): Promise<RunPage> {
    return this.parts.runStore.page(query);
  }

  async values(query: ValuesQuery): Promise<readonly ValueCount[]> {
    return (await this.parts.runValues?.list(query)) ?? [];
  }

  async run(runId: string): Promise<Run> {
    return (await getRun(this.parts.runStore, runId)).run;
  }

  async history(runId: string): Promise<readonly HistoryEntry[]> {
    await getRun(this.parts.runStore, runId);
    const entries = await this.parts.runHistory.history(runId);
    return entries.map(({ seal: _seal, ...entry }) => entry);
  }

  chain(runId: string): Promise<HistoryChain | null> {
    return readChain(this.parts, runId);
  }

  /** From the latest analysis, even if the run has returned to `staged_raw` since. */
  async evidence(runId: string): Promise<EvidenceBundle> {
    const { run } = await getRun(this.parts.runStore, runId);
    for (let cycle = run.cycle; cycle > 0; cycle--) {
      const kept = await this.parts.values.get(evidenceKey(runId, cycle));
      if (kept !== undefined) return readEvidence(kept, (dirty) => this.parts.sanitiser.text(dirty).value);
    }
    throw new CulpritError('not_found', 'The run has no evidence yet: it has not passed Gate 1.');
  }

  /** At Gate 1 the missing source maps and the outlook are those of now; without an analysis they are all that is known. */
  async stack(runId: string, signal: AbortSignal): Promise<PlacedStack> {
    const run = await this.run(runId);
    if (run.state !== 'staged_raw') return this.placed(runId);
    const [missing, outlook] = await Promise.all([
      missingBefore(run.event, this.parts.sourceMaps, signal).catch(() => null),
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
    return placeFrames(await this.evidence(runId), (dirty) => this.parts.sanitiser.text(dirty).value);
  }

  /** `null` also if the code host does not answer in time: the run is shown without it. */
  private async outlook(run: Run, signal: AbortSignal): Promise<Outlook | null> {
    try {
      const { input, codeHost } = await analysisOf(run, { earlierIssue: null, reopens: null }, this.parts);
      const { sourceMaps } = this.parts;
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
    return composeBrief(briefSource(run, bundle, (dirty) => this.parts.sanitiser.text(dirty).value));
  }

  async occurrences(runId: string, query: OccurrenceQuery): Promise<OccurrencePage> {
    const { limit, before } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_OCCURRENCES)
      throw new CulpritError('malformed', `"limit" must be an integer from 1 to ${MAX_OCCURRENCES}.`, {
        path: 'limit',
      });
    if (before !== undefined && !(Number.isSafeInteger(before) && before >= 1))
      throw new CulpritError('invalid_cursor', 'Ask for the first page again, without a cursor.');
    await getRun(this.parts.runStore, runId);
    return (await this.parts.runOccurrences?.page(runId, query)) ?? NO_OCCURRENCES;
  }

  async occurrence(runId: string, number: number): Promise<StoredOccurrence> {
    await getRun(this.parts.runStore, runId);
    const found = await this.parts.runOccurrences?.event(runId, number);
    if (!found)
      throw new CulpritError('not_found', `The event of occurrence ${number} of this run is not stored.`);
    return { occurrence: found.entry, event: found.event };
  }

  async statistics(runId: string): Promise<RunStatistics> {
    await getRun(this.parts.runStore, runId);
    const stored = (await this.parts.runOccurrences?.statistics(runId)) ?? NO_STATISTICS;
    return readStatistics(stored, this.parts.clock.now());
  }

  story(runId: string): Promise<RunStory> {
    return storyOf(this.parts, runId);
  }

  async preview(runId: string, reviewer?: Pick<Reviewer, 'name'>): Promise<IssuePreview> {
    const record = await getRun(this.parts.runStore, runId);
    const { run } = record;
    if (run.draft === null)
      throw new CulpritError('not_found', 'The run has no draft yet: it has not passed Gate 1.');
    const issue = issueToSign(record, this.parts.install.key, reviewer?.name);
    const { title, body, repository, labels, assignees, reopens } = issue;
    if (reopens !== undefined) return { title, body, reopens, divergence: [] };
    const links = run.link_back ? { link_back: run.link_back.issue } : {};
    const divergence = await this.expected({ title, repository, labels, assignees });
    return { title, body, ...links, divergence };
  }

  /** The preview is shown even if the code host does not answer; then nothing is expected. */
  private async expected(issue: Parameters<NonNullable<Publisher['expect']>>[0]): Promise<readonly string[]> {
    const asked = this.parts.publisher?.expect?.(issue, timeLimit(EXPECT_MS));
    return (await asked?.catch(() => [])) ?? [];
  }

  async draftDifference(runId: string): Promise<DraftDifference> {
    const { run } = await getRun(this.parts.runStore, runId);
    if (run.draft === null)
      throw new CulpritError('not_found', 'The run has no draft yet: it has not passed Gate 1.');
    const { draft } = await this.evidence(runId);
    return draftDifference(draft, run.draft);
  }

  async verify(runId: string, signal: AbortSignal): Promise<PublicationProof> {
    const record = await getRun(this.parts.runStore, runId);
    const { run } = record;
    if (run.publication === null || run.draft === null) throw stateConflict(run, 'Verifying an issue');
    const text = await publishedText(this.parts, record, run.publication, signal);
    const { expected, issue } = text;
    const proof = await verifyPublication({
      run,
      ...text,
      evidence: await this.evidence(runId),
      history: await this.history(runId),
    });
    const same = proof.steps.every(({ name, ok }) => ok || !EDITABLE.has(name));
    if (same || issue === null || expected.reopens !== undefined || this.parts.publisher === null)
      return proof;
    // The difference is proven without it.
    const asked = publisherOf(this.parts.publisher, expected.repository).edits?.last(
      expected.repository,
      run.publication.number,
      signal,
    );
    const edited = (await asked?.catch(() => null)) ?? null;
    return edited === null ? proof : { ...proof, edited };
  }
}
