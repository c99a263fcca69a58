import { CulpritError } from '@culprit/core';
import type { OccurrenceQuery } from '@culprit/core/internal/ports/run-occurrences';
import type { HttpRequest } from '../../http/message.js';
import { runOperation } from '../operation.js';
import { invalidCursor, readLimit } from '../paging.js';
import type { CoreRoute } from '../route.js';
import { occurrenceSchema, occurrencesSchema } from '../schema/occurrence.js';

/** The occurrences of a run. */
export function occurrenceRoutes(): CoreRoute[] {
  return [
    runOperation({
      at: 'GET /occurrences',
      scope: 'read',
      id: 'listOccurrences',
      summary: 'List the occurrences of a run, latest first; at least the latest 1,000 are stored',
      pages: 'always',
      what: 'A page of occurrences',
      schema: occurrencesSchema,
      async run({ request, engine, runId }) {
        const { next, ...page } = await engine.occurrences(runId, readOccurrenceQuery(request.query));
        return { ...page, next: next === null ? null : String(next) };
      },
    }),
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
  ];
}

/** The query of a list of occurrences. @throws `malformed` or `invalid_cursor`. */
function readOccurrenceQuery({ limit, cursor }: HttpRequest['query']): OccurrenceQuery {
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
