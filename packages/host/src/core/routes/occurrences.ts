import { CulpritError, type OccurrenceQuery } from '@culprit/core';
import type { HttpRequest } from '../../http/message.js';
import { jsonResponse } from '../../http/problem-response.js';
import type { CoreRoute } from '../route.js';
import { occurrenceSchema, occurrencesSchema, statisticsSchema } from '../schema/occurrence.js';
import { runId, runReader } from './run-reader.js';

const DEFAULT_LIMIT = 50;
const MOST = 200;

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
        summary: 'List the occurrences of a run, latest first; at least the latest 1,000 are stored',
        query: { cursor: '`next` of the previous page', limit: `1 to ${MOST}, default ${DEFAULT_LIMIT}` },
        answers: { 200: { what: 'A page of occurrences', schema: occurrencesSchema } },
        problems: ['run_not_found', 'malformed', 'invalid_cursor'],
      },
      async handle({ request, engine }) {
        const { next, ...page } = await engine.occurrences(
          runId(request),
          readOccurrenceQuery(request.query),
        );
        return jsonResponse(200, { ...page, next: next === null ? null : String(next) });
      },
    },
    {
      method: 'GET',
      pattern: '/api/v1/runs/:run_id/occurrences/:number',
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      doc: {
        summary: 'Get one occurrence with its event, if that is stored',
        answers: { 200: { what: 'The occurrence and its event', schema: occurrenceSchema } },
        problems: ['run_not_found', 'not_found'],
      },
      async handle({ request, engine }) {
        const id = runId(request);
        return jsonResponse(200, await engine.occurrence(id, numberOf(request.params.number)));
      },
    },
    runReader('/statistics', statisticsSchema, (engine, id) => engine.statistics(id), {
      summary: 'Get crashes by hour, releases, users and tags of a run',
      what: 'The statistics',
      problems: ['run_not_found'],
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

function readLimit(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_LIMIT;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST) return limit;
  throw new CulpritError('malformed', `"limit" must be a whole number from 1 to ${MOST}.`, { path: 'limit' });
}

function before(cursor: string): number {
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  throw new CulpritError('invalid_cursor', 'Ask for the first page again, without a cursor.');
}

function numberOf(text: string | undefined): number {
  if (text !== undefined && /^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new CulpritError('not_found', 'An occurrence is named by its number, from 1.');
}
