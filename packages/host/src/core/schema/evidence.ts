import type { DraftDifference, EvidenceBundle, PlacedStack, PublicationProof } from '@culprit/core';
import * as v from 'valibot';
import { eventSchema, jsonObjectSchema, jsonValueSchema } from './event.js';
import { draftSchema, runSchema } from './run.js';

const texts = v.array(v.string());

/** `culprit.evidence/1`. */
export const evidenceSchema = v.object({
  format: v.literal('culprit.evidence/1'),
  run_id: v.string(),
  project: v.string(),
  generation: v.number(),
  cycle: v.number(),
  analyzed_at: v.string(),
  versions: v.record(v.string(), v.string()),
  config: jsonObjectSchema,
  incident: v.pick(runSchema, [
    'title',
    'fingerprint',
    'level',
    'platform',
    'occurrences',
    'first_seen',
    'last_seen',
    'releases',
    'environments',
    'doors',
    'regression_of',
    'sources',
    'first_crash_at',
  ]),
  event: eventSchema,
  calls: v.array(
    v.object({
      port: v.picklist(['code_host', 'explainer', 'reader']),
      method: v.string(),
      request: jsonValueSchema,
      answer: v.nullable(jsonValueSchema),
      error: v.nullable(v.object({ code: v.string(), detail: v.string(), retryable: v.boolean() })),
    }),
  ),
  draft: draftSchema,
}) satisfies v.GenericSchema<unknown, EvidenceBundle>;

const placedFrames = v.array(
  v.object({
    frame: v.pipe(v.number(), v.description('Index into its frames, oldest first.')),
    path: v.string(),
    line: v.number(),
    url: v.nullable(v.string()),
    verified: v.nullable(v.boolean()),
    source: v.nullable(v.object({ from: v.number(), lines: texts })),
  }),
);
export const placedStackSchema = v.object({
  exception: v.pipe(
    v.nullable(v.number()),
    v.description('Index of the exception whose frames these are; null without a stack.'),
  ),
  frames: placedFrames,
  others: v.optional(
    v.pipe(
      v.array(v.object({ exception: v.number(), frames: placedFrames })),
      v.description('The other exceptions with located frames, by index.'),
    ),
  ),
}) satisfies v.GenericSchema<unknown, PlacedStack>;

const listChange = v.object({ added: texts, removed: texts });

export const draftDifferenceSchema = v.object({
  same: v.boolean(),
  machine: v.object({ digest: v.string(), title: v.string() }),
  current: v.object({ digest: v.string(), title: v.string(), edited_by: v.nullable(v.string()) }),
  labels: listChange,
  assignees: listChange,
  body: v.string(),
}) satisfies v.GenericSchema<unknown, DraftDifference>;

export const proofSchema = v.object({
  run_id: v.string(),
  issue_url: v.string(),
  verified: v.boolean(),
  derived_digest: v.string(),
  machine_digest: v.string(),
  signed_digest: v.string(),
  erased_at: v.exactOptional(v.string()),
  steps: v.array(v.object({ name: v.string(), ok: v.boolean(), detail: v.string() })),
}) satisfies v.GenericSchema<unknown, PublicationProof>;
