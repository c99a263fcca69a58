import type { OccurrenceEntry, RunStatistics } from '@culprit/core';
import { DOORS } from '@culprit/core/internal/domain/event';
import { OCCURRENCE_LIMITS } from '@culprit/core/internal/domain/occurrence-row';
import { STATISTICS_LIMITS } from '@culprit/core/internal/domain/run-statistics';
import { TRUSTS } from '@culprit/core/internal/domain/trust';
import * as v from 'valibot';
import { eventSchema } from './event.js';

export const occurrenceEntrySchema = v.object({
  number: v.pipe(v.number(), v.description('1 for the first occurrence of the run.')),
  event_id: v.string(),
  received_at: v.string(),
  release: v.pipe(
    v.nullable(v.string()),
    v.description(`Like the other texts, cut after ${OCCURRENCE_LIMITS.text} characters.`),
  ),
  environment: v.nullable(v.string()),
  door: v.picklist(DOORS),
  trust: v.picklist(TRUSTS),
  user: v.pipe(v.nullable(v.string()), v.description('`null` if unknown or redacted.')),
  stored: v.pipe(v.boolean(), v.description('Its event can be read.')),
}) satisfies v.GenericSchema<unknown, OccurrenceEntry>;

/** Response of `GET /api/v1/runs/:run_id/occurrences`. */
export const occurrencesSchema = v.object({
  occurrences: v.pipe(v.array(occurrenceEntrySchema), v.description('Latest first.')),
  events: v.pipe(
    v.array(v.number()),
    v.description('Numbers of all occurrences whose event is stored, latest first.'),
  ),
  next: v.pipe(v.nullable(v.string()), v.description('`cursor` of the next page.')),
});

/** Response of `GET /api/v1/runs/:run_id/occurrences/:number`. */
export const occurrenceSchema = v.object({ occurrence: occurrenceEntrySchema, event: eventSchema });

/** Response of `GET /api/v1/runs/:run_id/statistics`. */
export const statisticsSchema = v.object({
  occurrences: v.pipe(
    v.number(),
    v.description('Occurrences counted here. Those that older versions recorded are missing.'),
  ),
  hours: v.pipe(
    v.array(v.object({ from: v.string(), occurrences: v.number() })),
    v.description(
      `Crashes by hour of receipt in the last ${STATISTICS_LIMITS.days} days, oldest first. Hours without a crash are omitted.`,
    ),
  ),
  releases: v.pipe(
    v.array(
      v.object({
        name: v.string(),
        first_seen: v.string(),
        last_seen: v.string(),
        occurrences: v.number(),
      }),
    ),
    v.description(
      `By first receipt, at most ${STATISTICS_LIMITS.releases}. Of trusted crashes if there are any.`,
    ),
  ),
  users: v.pipe(
    v.object({ count: v.number(), more: v.boolean() }),
    v.description(
      `Distinct users that are not redacted; \`more\` if they are over ${STATISTICS_LIMITS.users}.`,
    ),
  ),
  tags: v.pipe(
    v.array(
      v.object({
        name: v.string(),
        occurrences: v.number(),
        values: v.array(v.object({ value: v.string(), occurrences: v.number() })),
        other: v.number(),
      }),
    ),
    v.description(
      `At most ${STATISTICS_LIMITS.tags}, each with its ${STATISTICS_LIMITS.values} most frequent values.`,
    ),
  ),
}) satisfies v.GenericSchema<unknown, RunStatistics>;
