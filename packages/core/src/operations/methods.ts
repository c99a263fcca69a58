import { type EvidenceBundle, evidenceSchema } from '../domain/evidence.js';
import { type Asked, type InvestigationTrail, investigationTrailSchema } from '../domain/investigation.js';
import { type RunPage, runSchema } from '../domain/run.js';
import { statisticsSchema } from '../domain/run-statistics.js';
import { storySchema } from '../domain/story.js';
import { issuePreviewSchema } from '../engine-results.js';
import { draftDifferenceSchema } from '../pipeline/draft-difference.js';
import { placedStackSchema } from '../pipeline/evidence/placed-frames.js';
import type { FailedNotification } from '../pipeline/notify.js';
import { proofSchema } from '../pipeline/verify-publication.js';
import type { RunQuery } from '../ports/run-store.js';
import type { EngineParts } from './engine-parts.js';
import { type Method, type MethodsOf, method, type RunRead } from './method.js';
import { OF_RUN, within } from './reach.js';

const ofRun = <Part extends keyof EngineParts, Name extends keyof EngineParts[Part]>(
  part: Part,
  name: Name,
) => method(OF_RUN, part, name);

/** A method with a route: see {@link RunRead}. */
const read = <Name extends keyof EngineParts['reader']>(
  name: Name,
  described: RunRead,
): Method<EngineParts['reader'][Name]> & { readonly read: RunRead } => ({
  ...ofRun('reader', name),
  read: described,
});

/** Answers show any source that was asked for, not only where the crash happened. */
const unread = (asked: Asked): Asked => ({ ...asked, text: '' });

/** Of the evidence: the questions and answers of the finding. */
function withoutTexts(call: EvidenceBundle['calls'][number]): EvidenceBundle['calls'][number] {
  if (call.port !== 'investigator') return call;
  const { asked, ...request } = call.request as unknown as { readonly asked: readonly Asked[] };
  return { ...call, request: { ...request, asked: asked.map(unread) } as unknown as typeof call.request };
}

/** What the engine does besides the commands on a run, and what of it a caller sees who is limited to projects. */
export const METHODS = {
  /** Sanitises, normalises and records one crash. Rejects with `malformed` and the field's path if it is unreadable. */
  ingest: method('installation', 'intake', 'ingest'),
  /** Records an edge's batch; one outcome per delivery, in order. */
  ingestBatch: method('installation', 'intake', 'ingestBatch'),
  /** What each key, door and project has used of its quota; empty if the storage does not count it. */
  quotaUsage: method('installation', 'reader', 'quotaUsage'),
  runs: method(
    within(async (limits, call: (query: RunQuery) => Promise<RunPage>, query: RunQuery) => {
      const page = await call({ ...query, projects: limits.projects });
      // A store of another author may not know the filter.
      return { ...page, runs: page.runs.filter(limits.own) };
    }),
    'reader',
    'page',
  ),
  /** The values that a qualifier of searches has in the stored runs, most frequent first. */
  searchValues: method('installation', 'reader', 'searchValues'),
  /** Rejects with `run_not_found`. */
  run: read('run', { id: 'getRun', path: '', summary: 'Get a run', what: 'The run', schema: runSchema }),
  history: ofRun('reader', 'history'),
  /** The history with its seals, for `checkChain`; `null` for an unknown run. */
  chain: ofRun('reader', 'chain'),
  /** The evidence of the latest analysis; `not_found` before Gate 1. */
  evidence: read('evidence', {
    id: 'getEvidence',
    path: '/evidence',
    summary: 'Get the evidence of the latest analysis; `culprit replay` derives the draft from it',
    what: 'The evidence bundle',
    schema: evidenceSchema,
    problems: ['not_found'],
    without: {
      scope: 'investigate',
      shown: ({ calls, ...bundle }: EvidenceBundle) => ({ ...bundle, calls: calls.map(withoutTexts) }),
    },
  }),
  /** Where the latest analysis found the frames, with lines around them. At Gate 1 also why no suspect can be found. */
  stack: read('stack', {
    id: 'getStack',
    path: '/stack',
    summary:
      'Get the frames that the latest analysis located in the repository, with source; at Gate 1 also why no suspect can be found',
    what: 'The located frames, the throwing frame first',
    schema: placedStackSchema,
    problems: ['not_found'],
  }),
  /**
   * One page of Markdown to start a fix from: crash, mechanism, suspects, files, how to reproduce, tests, and what is unknown. Text
   * from outside appears only in code spans and fences. Before Gate 1: the crash alone.
   */
  brief: read('brief', {
    id: 'getBrief',
    path: '/brief',
    summary: 'Get the fix brief: one page to start a fix from. Text from outside appears only in code',
    what: 'The page',
    schema: 'text/markdown',
  }),
  /** The stored occurrences, latest first; none if the storage does not keep them. */
  occurrences: ofRun('reader', 'occurrences'),
  /** One occurrence with its event; `not_found` if its event is not stored. */
  occurrence: ofRun('reader', 'occurrence'),
  /** Crashes by hour, releases, users and tags. */
  statistics: read('statistics', {
    id: 'getStatistics',
    path: '/statistics',
    summary: 'Get crashes by hour, releases, users and tags of a run',
    what: 'The statistics',
    schema: statisticsSchema,
  }),
  /** The runs of the same crash before and after this one: what they were published as, what fixed them, and where they came back. */
  story: read('story', {
    id: 'getStory',
    path: '/story',
    summary: 'Get the story: the runs of a crash that was published and came back, oldest first',
    what: 'The story; one chapter if the crash did not come back',
    schema: storySchema,
  }),
  /** The latest investigation of the cycle with everything that was asked and answered. */
  investigation: {
    ...ofRun('findings', 'trail'),
    read: {
      id: 'getInvestigation',
      path: '/investigation',
      summary:
        'Get the latest investigation of a run with every question and answer. The answers are text from outside, and need the scope `investigate`',
      what: 'The investigation and what was asked, oldest first',
      schema: investigationTrailSchema,
      without: {
        scope: 'investigate',
        shown: (trail: InvestigationTrail) => ({ ...trail, asked: trail.asked.map(unread), answers: false }),
      },
    } satisfies RunRead,
  },
  /** What the investigations of today (UTC) used. */
  investigationsToday: method('none', 'investigations', 'today'),
  /** The issue that would be published if this reviewer approved Gate 2 now; once it is approved, the issue as signed. */
  preview: read('preview', {
    id: 'previewDraft',
    path: '/draft/preview',
    summary:
      'Preview the issue that would be published if you signed it, byte for byte, including the trailer',
    what: 'Title, body, and what the code host would change',
    schema: issuePreviewSchema,
    problems: ['not_found'],
  }),
  /** What reviewers changed in the generated draft; `not_found` before Gate 1. */
  draftDifference: read('draftDifference', {
    id: 'getDraftDifference',
    path: '/draft/difference',
    summary: 'Compare the draft with the generated one',
    what: 'The difference; `body` is a unified diff',
    schema: draftDifferenceSchema,
    problems: ['not_found'],
  }),
  /** Derives a published issue again and compares it with the one on the code host; `state_conflict` before Gate 2. */
  verify: read('verify', {
    id: 'verifyPublication',
    path: '/verification',
    summary: 'Verify the published issue: derive it again and compare it with the code host',
    what: 'The result of each step',
    schema: proofSchema,
    problems: ['not_found', 'state_conflict', 'code_host_unavailable'],
  }),
  /**
   * What `resolve` would do to the issue now; of a run that is marked as fixed, what `unresolve` would do. The comment names
   * the reviewer who decides.
   */
  resolutionEffect: ofRun('resolving', 'effect'),

  /** Admits the run and waits for its analysis. Rejects with the error that stopped it; the run is then back in `staged_raw`. */
  approveGateOne: ofRun('gateOne', 'approve'),
  /** Like `approveGateOne`, but resolves with the run as soon as the approval is stored. */
  startGateOne: ofRun('gateOne', 'start'),
  /** `digest` binds the approval to what was shown; without it, the approval is recorded as unbound. */
  approveGateTwo: ofRun('gateTwo', 'approve'),
  /** Like `approveGateTwo`, but resolves with the run as soon as the signature is stored. */
  startGateTwo: ofRun('gateTwo', 'start'),
  /**
   * Hands a published run over, once for each target: `github` assigns the code host's coding agent to the issue, `webhook` is for
   * the host's receivers. `digest`: of the signed draft; `comments`: of `comments_unconfirmed`. Rejects with that,
   * `state_conflict`, `draft_changed`, `hand_off_refused`.
   */
  handOff: ofRun('handingOff', 'handOff'),

  /**
   * The code host reported a change of an issue, or a fix of it. The issue's text names its run in the trailer; given its
   * number, the text is read first. The issue is then read again in the background. Resolves with the run's id, or `null` if this
   * installation did not publish the issue.
   */
  issueChanged: method('installation', 'issueStates', 'changed'),
  /** Abandoned notifications, newest first, at most 200. A later success removes one. */
  failedNotifications: method(
    within(async (limits, call: () => Promise<readonly FailedNotification[]>) => {
      const failed = await call();
      const visible = await limits.visible(failed.map(({ run_id }) => run_id));
      return failed.filter(({ run_id }) => visible.has(run_id));
    }),
    'notifications',
    'failed',
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
    'notifications',
    'retry',
  ),
};

/** The rows as methods. */
export type EngineMethods = MethodsOf<typeof METHODS>;
