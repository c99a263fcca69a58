import type { ErrorCode } from '@culprit/core';
import { ERRORS } from '@culprit/core/internal/errors/catalogue';
import { crashObjectSchema } from '@culprit/core/internal/pipeline/crash-object/json-schema';
import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { liveMessageSchema } from '../live/protocol.js';
import { runActivitySchema } from './schema/activity.js';
import { deliveryBatchSchema, recordResultSchema } from './schema/delivery-batch.js';
import { digestSchema } from './schema/digest.js';
import { edgeCommandSchema, edgeHistorySchema, edgeSchema } from './schema/edges.js';
import { eventSchema, jsonObjectSchema, jsonValueSchema } from './schema/event.js';
import { draftDifferenceSchema, evidenceSchema, placedStackSchema, proofSchema } from './schema/evidence.js';
import { modelStatusSchema } from './schema/explanation.js';
import { guardTelemetrySchema } from './schema/guard.js';
import { occurrenceEntrySchema, occurrencesSchema, statisticsSchema } from './schema/occurrence.js';
import { quotaSchema } from './schema/quotas.js';
import { deploySchema, listedReleaseSchema, releaseCommitSchema, releaseSchema } from './schema/release.js';
import { effectSchema } from './schema/resolution.js';
import { draftSchema, historyEntrySchema, runPageSchema, runSchema, runSummarySchema } from './schema/run.js';
import { sessionSchema } from './schema/session.js';
import { storySchema } from './schema/story.js';
import { suspectSchema } from './schema/suspect.js';
import { tokenSchema } from './schema/tokens.js';
import { webhookSchema } from './schema/webhooks.js';

const problemSchema = v.object({
  type: v.string(),
  title: v.string(),
  status: v.number(),
  code: v.picklist(Object.keys(ERRORS) as ErrorCode[]),
  detail: v.string(),
  path: v.exactOptional(v.pipe(v.string(), v.description('The invalid member.'))),
  state: v.exactOptional(
    v.pipe(v.string(), v.description('With state_conflict: the current state of the run.')),
  ),
  scope: v.exactOptional(v.pipe(v.string(), v.description('With forbidden: the missing scope.'))),
  digest: v.exactOptional(v.pipe(v.string(), v.description('With draft_changed: the current digest.'))),
  limit: v.exactOptional(
    v.pipe(
      v.union([v.number(), v.string()]),
      v.description('The limit: of bytes with too_large, else its name.'),
    ),
  ),
  reason: v.exactOptional(
    v.pipe(
      v.string(),
      v.description('The code of the reason: with merge_refused, and unknown_path with not_found.'),
    ),
  ),
  latest: v.exactOptional(v.pipe(v.string(), v.description('The later run of the crash.'))),
  claim: v.exactOptional(
    v.pipe(
      v.object({ by: v.string(), at: v.string(), until: v.string() }),
      v.description('With claimed: who looks at the run.'),
    ),
  ),
  comments: v.exactOptional(
    v.pipe(
      v.object({
        digest: v.string(),
        count: v.number(),
        entries: v.array(v.object({ url: v.string(), by: v.string(), at: v.string() })),
      }),
      v.description(
        'With comments_unconfirmed: what the coding agent reads besides the signed text; the latest 20. `digest` confirms all.',
      ),
    ),
  ),
  opened_by: v.exactOptional(
    v.pipe(v.string(), v.description('With second_person_required: who approved Gate 1.')),
  ),
  edited_by: v.exactOptional(
    v.pipe(v.string(), v.description('With second_person_required: who edited the draft last.')),
  ),
});

/** The schemas with a name: in `components.schemas`, and the types of `@culprit/client`. */
const NAMED = {
  Run: runSchema,
  RunSummary: runSummarySchema,
  RunPage: runPageSchema,
  RunActivity: runActivitySchema,
  Suspect: suspectSchema,
  Event: eventSchema,
  JsonValue: jsonValueSchema,
  JsonObject: jsonObjectSchema,
  Draft: draftSchema,
  DraftDifference: draftDifferenceSchema,
  HistoryEntry: historyEntrySchema,
  Story: storySchema,
  Occurrence: occurrenceEntrySchema,
  OccurrencePage: occurrencesSchema,
  Statistics: statisticsSchema,
  PlacedStack: placedStackSchema,
  Evidence: evidenceSchema,
  Proof: proofSchema,
  ModelStatus: modelStatusSchema,
  IssueEffect: effectSchema,
  Digest: digestSchema,
  Edge: edgeSchema,
  EdgeHistory: edgeHistorySchema,
  EdgeCommand: edgeCommandSchema,
  Quota: quotaSchema,
  Release: releaseSchema,
  ListedRelease: listedReleaseSchema,
  ReleaseCommit: releaseCommitSchema,
  Deploy: deploySchema,
  Session: sessionSchema,
  Token: tokenSchema,
  Webhook: webhookSchema,
  DeliveryBatch: deliveryBatchSchema,
  RecordResult: recordResultSchema,
  GuardTelemetry: guardTelemetrySchema,
  LiveMessage: liveMessageSchema,
  Problem: problemSchema,
};

/** What each of them is. */
const ABOUT: Readonly<Record<keyof typeof NAMED, string>> = {
  Run: 'A run: one incident under triage, with its shown crash, suspects, explanation and draft.',
  RunSummary: 'A run as lists have it.',
  RunPage: 'A page of runs.',
  RunActivity: 'Crashes of a run in each of the last 24 hours.',
  Suspect: 'A commit that may have caused the crash.',
  Event: 'One normalised crash.',
  JsonValue: 'Any JSON value.',
  JsonObject: 'Any JSON object.',
  Draft: 'The issue as it will be published.',
  DraftDifference: 'What a reviewer changed in the generated draft.',
  HistoryEntry: 'A decision or a step in the history of a run.',
  Story: 'The runs of a crash that was published and came back.',
  Occurrence: 'One event counted on a run.',
  OccurrencePage: 'A page of the occurrences of a run.',
  Statistics: 'What the occurrences of a run have in common.',
  PlacedStack: 'The frames that an analysis located in the repository.',
  Evidence: 'Everything that an analysis read.',
  Proof: 'The result of verifying a published issue.',
  ModelStatus: 'What is known about the configured model.',
  IssueEffect: 'What a decision does to the issue.',
  Digest: 'What happened in a shift.',
  Edge: 'An edge: its guard figures, limits, dead letters and commands.',
  EdgeHistory: 'The figures of an edge in the last hour.',
  EdgeCommand: 'A command to an edge, and its result.',
  Quota: 'What a key, a door or a project has used of its quota.',
  Release: 'A recorded release with its deploys.',
  ListedRelease: 'A release, recorded or named by crashes, with what is counted of it.',
  ReleaseCommit: 'A commit that a release brought.',
  Deploy: 'A release that was put into an environment.',
  Session: 'The reviewer of the credential, and the rules of the gates.',
  Token: 'An API token, without its secret.',
  Webhook: 'An outgoing webhook, without its secret.',
  DeliveryBatch: 'Deliveries that an edge sends to core, in order.',
  RecordResult: 'What core recorded of a batch.',
  GuardTelemetry: 'The limits of an edge with their counters, and its spool.',
  LiveMessage: 'A message of the live feed.',
  Problem: 'An error (RFC 9457). `code` is stable, `detail` says what to do.',
};

const CONVERSION = {
  target: 'draft-2020-12',
  errorMode: 'ignore',
  overrideRef: ({ referenceId }: { readonly referenceId: string }) => `#/components/schemas/${referenceId}`,
} as const;

/** `components.schemas`. */
export function namedSchemas(): Record<string, object> {
  made ??= makeNamed();
  return made;
}
let made: Record<string, object> | null = null;

function makeNamed(): Record<string, object> {
  const described = Object.entries(toJsonSchemaDefs(NAMED, { ...CONVERSION, typeMode: 'output' })).map(
    ([name, schema]) => {
      return [name, { description: ABOUT[name as keyof typeof NAMED], ...schema }];
    },
  );
  return { ...Object.fromEntries(described), CrashObject: crashObjectSchema };
}

/** The JSON Schema of a body (`input`) or an answer (`output`); a reference if it has a name. */
export function schemaOf(schema: v.GenericSchema, typeMode: 'input' | 'output'): object {
  const named = Object.entries(NAMED).find(([, known]) => (known as v.GenericSchema) === schema);
  if (named !== undefined) return { $ref: `#/components/schemas/${named[0]}` };
  const { $schema: _, ...rest } = toJsonSchema(schema, { ...CONVERSION, typeMode, definitions: NAMED });
  delete (rest as { $defs?: unknown }).$defs;
  return rest;
}
