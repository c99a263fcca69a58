import { CulpritError } from '@culprit/core';
import { statisticsSchema } from '@culprit/core/internal/domain/run-statistics';
import type { OccurrenceQuery } from '@culprit/core/internal/ports/run-occurrences';
import type { HttpRequest } from '../../http/message.js';
import { runId, runOperation, runReader } from '../operation.js';
import { invalidCursor, PAGE_PARAMETERS, pageResponse, readLimit } from '../paging.js';
import type { CoreRoute } from '../route.js';
import { occurrenceSchema, occurrencesSchema } from '../schema/occurrence.js';

/** The occurrences of a run, and what they have in common. */
export function occurrenceRoutes(): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/api/v1/runs/:run_id/occurrences',
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      doc: {
        id: 'listOccurrences',
        summary: 'List the occurrences of a run, latest first; at least the latest 1,000 are stored',
        query: PAGE_PARAMETERS,
        answers: { 200: { what: 'A page of occurrences', schema: occurrencesSchema } },
        problems: ['run_not_found', 'invalid_cursor'],
      },
      async handle({ request, engine }) {
        const { next, ...page } = await engine.occurrences(
          runId(request),
          readOccurrenceQuery(request.query),
        );
        return pageResponse(request, { ...page, next: next === null ? null : String(next) });
      },
    },
    runOperation({
      at: 'GET /occurrences/:number',
      scope: 'read',
      id: 'getOccurrence',
      summary: 'Get one occurrence with its event, if that is stored',
      what: 'The occurrence and its event',
      schema: occurrenceSchema,
      problems: ['not_found'],
      run: ({ request, engine, runId }) => engine.occurrence(runId, numberOf(request.params.number)),
    }),
    runReader('/statistics', statisticsSchema, ({ engine, runId }) => engine.statistics(runId), {
      id: 'getStatistics',
      summary: 'Get crashes by hour, releases, users and tags of a run',
      what: 'The statistics',
    }),
  ];
}

/** The query of a list of occurrences. @throws `malformed` or `invalid_cursor`. */
export function readOccurrenceQuery({ limit, cursor }: HttpRequest['query']): OccurrenceQuery {
  return {
    limit: readLimit(limit),
    ...(cursor === undefined || cursor === '' ? {} : { before: before(cursor) }),
  };
}

function before(cursor: string): number {
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  throw invalidCursor();
}

function numberOf(text: string | undefined): number {
  if (text !== undefined && /^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new CulpritError('not_found', 'An occurrence is named by its number, from 1.');
}
