import { eventSchema } from '@culprit/core/internal/domain/event';
import { occurrenceEntrySchema } from '@culprit/core/internal/domain/occurrence-row';
import { about, named, text } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

/** Response of `GET /api/v1/runs/:run_id/occurrences`. */
export const occurrencesSchema = named(
  'OccurrencePage',
  'A page of the occurrences of a run.',
  v.object({
    occurrences: about(v.array(occurrenceEntrySchema), 'Latest first.'),
    events: about(v.array(v.number()), 'Numbers of all occurrences whose event is stored, latest first.'),
    next: about(text, '`cursor` of the next page.'),
  }),
);

/** Response of `GET /api/v1/runs/:run_id/occurrences/:number`. */
export const occurrenceSchema = v.object({ occurrence: occurrenceEntrySchema, event: eventSchema });
