import type { ErrorCode } from '@culprit/core';
import { crashObjectSchema, ERRORS } from '@culprit/core/model';
import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { liveMessageSchema } from '../live/protocol.js';
import { deliveryBatchSchema, recordResultSchema } from './schema/delivery-batch.js';
import { digestSchema } from './schema/digest.js';
import { edgeCommandSchema, edgeHistorySchema, edgeSchema } from './schema/edges.js';
import { eventSchema, jsonObjectSchema, jsonValueSchema } from './schema/event.js';
import { draftDifferenceSchema, evidenceSchema, placedStackSchema, proofSchema } from './schema/evidence.js';
import { guardTelemetrySchema } from './schema/guard.js';
import { occurrenceEntrySchema, occurrencesSchema, statisticsSchema } from './schema/occurrence.js';
import { quotaSchema } from './schema/quotas.js';
import { effectSchema } from './schema/resolution.js';
import { draftSchema, historyEntrySchema, runSchema, runSummarySchema } from './schema/run.js';
import { sessionSchema } from './schema/session.js';
import { storySchema } from './schema/story.js';
import { suspectSchema } from './schema/suspect.js';

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
});

/** The schemas with a name: in `components.schemas`, and the types of `@culprit/client`. */
const NAMED = {
  Run: runSchema,
  RunSummary: runSummarySchema,
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
  IssueEffect: effectSchema,
  Digest: digestSchema,
  Edge: edgeSchema,
  EdgeHistory: edgeHistorySchema,
  EdgeCommand: edgeCommandSchema,
  Quota: quotaSchema,
  Session: sessionSchema,
  DeliveryBatch: deliveryBatchSchema,
  RecordResult: recordResultSchema,
  GuardTelemetry: guardTelemetrySchema,
  LiveMessage: liveMessageSchema,
  Problem: problemSchema,
};

const CONVERSION = {
  target: 'draft-2020-12',
  typeMode: 'input',
  errorMode: 'ignore',
  overrideRef: ({ referenceId }: { readonly referenceId: string }) => `#/components/schemas/${referenceId}`,
} as const;

/** `components.schemas`. */
export function namedSchemas(): Record<string, object> {
  return { ...toJsonSchemaDefs(NAMED, CONVERSION), CrashObject: crashObjectSchema };
}

/** The JSON Schema of a body or an answer; a reference if it has a name. */
export function schemaOf(schema: v.GenericSchema): object {
  const named = Object.entries(NAMED).find(([, known]) => (known as v.GenericSchema) === schema);
  if (named !== undefined) return { $ref: `#/components/schemas/${named[0]}` };
  const { $schema: _, ...rest } = toJsonSchema(schema, { ...CONVERSION, definitions: NAMED });
  delete (rest as { $defs?: unknown }).$defs;
  return rest;
}
