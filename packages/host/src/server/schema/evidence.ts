import type { EvidenceBundle, PlacedStack } from '@culprit/core';
import type { DraftDifference } from '@culprit/core/internal/pipeline/draft-difference';
import {
  MISSING_SOURCE_MAP,
  type MissingSourceMapCode,
} from '@culprit/core/internal/pipeline/source-maps/missing-maps';
import type { PublicationProof } from '@culprit/core/internal/pipeline/verify-publication';
import * as v from 'valibot';
import { eventSchema, jsonObjectSchema, jsonValueSchema } from './event.js';
import { draftSchema, runSchema } from './run.js';
import { gapSchema, noSuspectSchema } from './suspect.js';

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
      port: v.picklist(['code_host', 'explainer', 'reader', 'source_maps']),
      method: v.string(),
      request: jsonValueSchema,
      answer: v.nullable(jsonValueSchema),
      error: v.nullable(v.object({ code: v.string(), detail: v.string(), retryable: v.boolean() })),
    }),
  ),
  draft: draftSchema,
}) satisfies v.GenericSchema<unknown, EvidenceBundle>;

const sourceLines = v.nullable(v.object({ from: v.number(), lines: texts }));
const placedFrames = v.array(
  v.object({
    frame: v.pipe(v.number(), v.description('Index into its frames, oldest first.')),
    path: v.string(),
    line: v.number(),
    how: v.pipe(
      v.picklist(['mapping', 'exact', 'suffix']),
      v.description(
        'How it was found: by a code mapping, as the reported path, or as the only path that ends like the reported one.',
      ),
    ),
    url: v.nullable(v.string()),
    verified: v.nullable(v.boolean()),
    source: sourceLines,
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
  originals: v.optional(
    v.pipe(
      v.array(
        v.object({
          exception: v.number(),
          frame: v.number(),
          file: v.string(),
          line: v.number(),
          function: v.nullable(v.string()),
          source: sourceLines,
        }),
      ),
      v.description('The originals of built frames, from source maps: uploaded ones, and the repository’s.'),
    ),
  ),
  missing_source_maps: v.optional(
    v.pipe(
      v.array(
        v.object({
          code: v.picklist(Object.keys(MISSING_SOURCE_MAP) as MissingSourceMapCode[]),
          file: v.string(),
          release: v.nullable(v.string()),
          dist: v.nullable(v.string()),
          command: v.pipe(v.string(), v.description('Uploads it. Safe to paste into a shell.')),
        }),
      ),
      v.description('The built files that no source map explains.'),
    ),
  ),
  outlook: v.optional(
    v.pipe(
      v.object({ no_suspect: v.nullable(noSuspectSchema), gaps: v.array(gapSchema) }),
      v.description(
        'Of a run at Gate 1: why no suspect can be found, and what the repository does not show. Absent: nothing stands in the way as far as it is known.',
      ),
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
  edited: v.exactOptional(
    v.pipe(
      v.object({ at: v.string(), by: v.nullable(v.string()) }),
      v.description('Who changed the title or the text on the code host last, where it says so.'),
    ),
  ),
  steps: v.array(v.object({ name: v.string(), ok: v.boolean(), detail: v.string() })),
}) satisfies v.GenericSchema<unknown, PublicationProof>;
