import * as v from 'valibot';
import { draftSchema } from './draft.js';
import { eventSchema } from './event.js';
import { jsonObjectSchema, jsonValueSchema } from './json.js';
import { runSchema } from './run.js';
import { errorSchema } from './run-error.js';
import { about, type Doc, named } from './schema.js';

const callSchema = v.object({
  port: about(
    v.picklist(['code_host', 'explainer', 'investigator', 'reader', 'source_maps']),
    '`reader`: only in evidence of 0.2.',
  ),
  method: v.string(),
  request: jsonValueSchema,
  answer: about(v.nullable(jsonValueSchema), 'Exactly one of `answer` and `error` is set.'),
  error: errorSchema,
});
/** One response of the code host, the explainer or the source maps, as it was used. */
export interface RecordedCall extends Doc<typeof callSchema> {}

const { title, fingerprint, level, platform, occurrences, first_seen, last_seen } = runSchema.entries;
const { releases, environments, doors, regression_of, sources, first_crash_at } = runSchema.entries;
export const evidenceSchema = named(
  'Evidence',
  'Everything that an analysis read.',
  v.object({
    format: v.literal('culprit.evidence/1'),
    run_id: v.string(),
    project: v.string(),
    generation: v.number(),
    cycle: v.number(),
    analyzed_at: about(v.string(), 'ISO 8601: the analysis read no other clock.'),
    versions: about(
      v.record(v.string(), v.string()),
      'Of every part that affects the draft: `culprit`, `fingerprint`, `ranking`, `draft`, `prompt`.',
    ),
    /** The part of the project's configuration that affects the draft; no secrets. */
    config: jsonObjectSchema,
    incident: about(
      v.object({
        ...{ title, fingerprint, level, platform, occurrences, first_seen, last_seen },
        ...{ releases, environments, doors, regression_of, sources, first_crash_at },
      }),
      'The counters of the run when the analysis started.',
    ),
    event: eventSchema,
    calls: v.array(callSchema),
    /** The machine's draft. */
    draft: draftSchema,
  }),
);
/** Everything an analysis read, enough to derive its draft again offline. Frozen as `culprit.evidence/1`. */
export interface EvidenceBundle extends Doc<typeof evidenceSchema> {}
