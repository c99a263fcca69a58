import { DOORS } from '@culprit/core/internal/domain/event';
import { TRUSTS } from '@culprit/core/internal/domain/trust';
import * as v from 'valibot';

const texts = v.array(v.string());

export const sourceSchema = v.object({
  door: v.picklist(DOORS),
  trust: v.picklist(TRUSTS),
  occurrences: v.number(),
  trackers: v.optional(texts),
  first_seen: v.string(),
  last_seen: v.string(),
  event_id: v.nullable(v.string()),
});

export const memberSchema = v.object({
  run_id: v.string(),
  fingerprint: v.string(),
  generation: v.number(),
  into: v.nullable(v.string()),
  occurrences: v.number(),
  first_seen: v.string(),
  last_seen: v.string(),
  first_crash_at: v.optional(v.string()),
  releases: texts,
  environments: texts,
  doors: v.array(v.picklist(DOORS)),
  sources: v.optional(v.array(sourceSchema)),
});
