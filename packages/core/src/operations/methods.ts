import type { DeliveryBatch } from '../domain/delivery.js';
import type { Event } from '../domain/event.js';
import type { Reviewer } from '../domain/history.js';
import type { OccurrenceEntry } from '../domain/occurrence-row.js';
import type { QuotaUsage } from '../domain/quota.js';
import type { FixedIn } from '../domain/resolution.js';
import type { IngestInput } from '../engine-results.js';
import type { HandingOver } from '../gates/handing-off.js';
import type { FailedNotification } from '../pipeline/notify.js';
import type { OccurrenceQuery } from '../ports/run-occurrences.js';
import type { RunPage, RunQuery } from '../ports/run-store.js';
import type { ValuesQuery } from '../ports/run-values.js';
import type { EngineParts } from './engine-parts.js';
import { type MethodsOf, method } from './method.js';
import { OF_RUN, within } from './reach.js';

const ofRun = <Args extends readonly unknown[], Result>(
  handle: (parts: EngineParts, runId: string, ...args: Args) => Promise<Result>,
) => method<[runId: string, ...args: Args], Result>(OF_RUN, handle);

/** What the engine does besides the commands on a run, and what of it a caller sees who is limited to projects. */
export const METHODS = {
  /** Sanitises, normalises and records one crash. Rejects with `malformed` and the field's path if it is unreadable. */
  ingest: method('installation', ({ intake }, input: IngestInput) => intake.ingest(input)),
  /** Records an edge's batch; one outcome per delivery, in order. */
  ingestBatch: method('installation', ({ intake }, batch: DeliveryBatch) => intake.ingestBatch(batch)),
  /** What each key, door and project has used of its quota; empty if the storage does not count it. */
  quotaUsage: method(
    'installation',
    async ({ runUsage }): Promise<readonly QuotaUsage[]> => (await runUsage?.usage()) ?? [],
  ),
  runs: method(
    within(async (limits, call: (query: RunQuery) => Promise<RunPage>, query: RunQuery) => {
      const page = await call({ ...query, projects: limits.projects });
      // A store of another author may not know the filter.
      return { ...page, runs: page.runs.filter(limits.own) };
    }),
    ({ reader }, query: RunQuery) => reader.page(query),
  ),
  /** The values that a qualifier of searches has in the stored runs, most frequent first. */
  searchValues: method('installation', ({ reader }, query: ValuesQuery) => reader.searchValues(query)),
  /** Rejects with `run_not_found`. */
  run: ofRun(({ reader }, runId) => reader.run(runId)),
  history: ofRun(({ reader }, runId) => reader.history(runId)),
  /** The history with its seals, for `checkChain`; `null` for an unknown run. */
  chain: ofRun(({ reader }, runId) => reader.chain(runId)),
  /** The evidence of the latest analysis; `not_found` before Gate 1. */
  evidence: ofRun(({ reader }, runId) => reader.evidence(runId)),
  /** Where the latest analysis found the frames, with lines around them. At Gate 1: what stands in the way of a suspect, too. */
  stack: ofRun(({ reader, tasks }, runId) => reader.stack(runId, tasks.signal)),
  /**
   * One page of Markdown to start a fix from: crash, mechanism, suspects, files, how to reproduce, tests, and what is unknown. Text
   * from outside appears only in code spans and fences. Before Gate 1: the crash alone.
   */
  brief: ofRun(({ reader }, runId) => reader.brief(runId)),
  /** The stored occurrences, latest first; none if the storage does not keep them. */
  occurrences: ofRun(({ reader }, runId, query: OccurrenceQuery) => reader.occurrences(runId, query)),
  /** One occurrence with its event; `not_found` if its event is not stored. */
  occurrence: ofRun(
    (
      { reader },
      runId,
      number: number,
    ): Promise<{ readonly occurrence: OccurrenceEntry; readonly event: Event }> =>
      reader.occurrence(runId, number),
  ),
  /** Crashes by hour, releases, users and tags. */
  statistics: ofRun(({ reader }, runId) => reader.statistics(runId)),
  /** The runs of the same crash before and after this one: what they were published as, what fixed them, and where they came back. */
  story: ofRun(({ reader }, runId) => reader.story(runId)),
  /** The issue that would be published if this reviewer approved Gate 2 now; once it is approved, the issue as signed. */
  preview: ofRun(({ reader }, runId, reviewer?: Pick<Reviewer, 'name'>) => reader.preview(runId, reviewer)),
  /** What reviewers changed in the generated draft; `not_found` before Gate 1. */
  draftDifference: ofRun(({ reader }, runId) => reader.draftDifference(runId)),
  /** Derives a published issue again and compares it with the one on the code host; `state_conflict` before Gate 2. */
  verify: ofRun(({ reader, tasks }, runId) => reader.verify(runId, tasks.signal)),
  /**
   * What `resolve` would do to the issue now; of a run that is marked as fixed, what `unresolve` would do. The comment names
   * the reviewer who decides.
   */
  resolutionEffect: ofRun(({ resolving }, runId, fixedIn?: FixedIn, reviewer?: Reviewer) =>
    resolving.effect(runId, fixedIn, reviewer),
  ),

  /** Admits the run and waits for its analysis. Rejects with the error that stopped it; the run is then back in `staged_raw`. */
  approveGateOne: ofRun(({ gateOne }, runId, reviewer: Reviewer) => gateOne.approve(runId, reviewer)),
  /** Like `approveGateOne`, but resolves with the run as soon as the approval is stored. */
  startGateOne: ofRun(({ gateOne }, runId, reviewer: Reviewer) => gateOne.start(runId, reviewer)),
  /** `digest` binds the approval to what was shown; without it, the approval is recorded as unbound. */
  approveGateTwo: ofRun(
    ({ gateTwo }, runId, reviewer: Reviewer, signed?: { readonly digest?: string | undefined }) =>
      gateTwo.approve(runId, reviewer, signed?.digest),
  ),
  /** Like `approveGateTwo`, but resolves with the run as soon as the signature is stored. */
  startGateTwo: ofRun(
    ({ gateTwo }, runId, reviewer: Reviewer, signed?: { readonly digest?: string | undefined }) =>
      gateTwo.start(runId, reviewer, signed?.digest),
  ),
  /**
   * Hands a published run over, once for each target: `github` assigns the code host's coding agent to the issue, `webhook` is for
   * the host's receivers. `digest`: of the signed draft; `comments`: of `comments_unconfirmed`. Rejects with that,
   * `state_conflict`, `draft_changed`, `hand_off_refused`.
   */
  handOff: ofRun(({ handingOff }, runId, reviewer: Reviewer, what: HandingOver) =>
    handingOff.handOff(runId, reviewer, what),
  ),

  /**
   * The code host reported a change of an issue, or a fix of it. The issue's text names its run in the trailer; given its
   * number, the text is read first. The issue is then read again in the background. Resolves with the run's id, or `null` if this
   * installation did not publish the issue.
   */
  issueChanged: method(
    'installation',
    ({ issueStates }, issue: string | { readonly repository: string; readonly number: number }) =>
      issueStates.changed(issue),
  ),
  /** Abandoned notifications, newest first, at most 200. A later success removes one. */
  failedNotifications: method(
    within(async (limits, call: () => Promise<readonly FailedNotification[]>) => {
      const failed = await call();
      const visible = await limits.visible(failed.map(({ run_id }) => run_id));
      return failed.filter(({ run_id }) => visible.has(run_id));
    }),
    ({ notifications }) => notifications.failed(),
  ),
  /** Sends a run's latest state to a notifier again; `not_found` if the connector is not a notifier. */
  retryNotification: method(
    within(
      async (
        limits,
        call: (connector: string, runId: string) => Promise<void>,
        connector: string,
        runId: string,
      ) => {
        await limits.run(runId);
        return call(connector, runId);
      },
    ),
    ({ notifications }, connector: string, runId: string) => notifications.retry(connector, runId),
  ),
};

/** The rows as methods. */
export type EngineMethods = MethodsOf<typeof METHODS>;
