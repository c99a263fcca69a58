import { CulpritError, type RunQuery, type RunState } from '@culprit/core';
import { draftSchema } from '@culprit/core/internal/domain/draft';
import { historyEntrySchema } from '@culprit/core/internal/domain/history';
import { RUN_STATES, runPageSchema } from '@culprit/core/internal/domain/run';
import {
  isValueField,
  QUALIFIERS,
  qualifierOf,
  VALUE_FIELDS,
} from '@culprit/core/internal/domain/search/qualifiers';
import { RUN_ORDERS } from '@culprit/core/internal/domain/search/run-order';
import type { ValuesQuery } from '@culprit/core/internal/ports/run-values';
import * as v from 'valibot';
import type { HttpRequest } from '../../http/message.js';
import { listing, operation, runOperation } from '../operation.js';
import { readLimit } from '../paging.js';
import type { CoreRoute } from '../route.js';
import { draftTag } from './commands.js';

/** Runs, their history and drafts. What else is read of a run: `METHODS` in core/src/operations. */
export function runRoutes(): CoreRoute[] {
  return [
    operation({
      at: 'GET /api/v1/runs',
      scope: 'read',
      reach: 'projects',
      id: 'listRuns',
      summary: 'List runs, or search them',
      query: {
        state: `One or more of ${RUN_STATES.join(', ')}, separated by commas`,
        project: 'Only this project',
        q: `A search, such as \`level:fatal env:prod "exact words"\`. Qualifiers: ${Object.keys(QUALIFIERS).join(', ')}`,
        order: { what: 'The order of the list', schema: { enum: RUN_ORDERS, default: RUN_ORDERS[0] } },
      },
      pages: 'always',
      what: 'A page of runs',
      schema: runPageSchema,
      async run({ request, engine }) {
        const { runs, next, total, indexing } = await engine.runs(readRunQuery(request.query));
        return {
          runs,
          next,
          ...(total === undefined ? {} : { total }),
          ...(indexing ? { indexing } : {}),
        };
      },
    }),
    searchValuesRoute(),
    listing({
      path: '/api/v1/runs/:run_id/history',
      scope: 'read',
      reach: 'projects',
      id: 'getHistory',
      summary: 'Get the history: every decision and step, oldest first',
      what: 'The history',
      name: 'entries',
      entries: v.array(historyEntrySchema),
      all: ({ engine, runId }) => engine.history(runId),
      key: ({ sequence }) => String(sequence),
    }),
    runOperation({
      at: 'GET /draft',
      scope: 'read',
      id: 'getDraft',
      summary: 'Get the draft; its ETag is its digest',
      what: 'The draft',
      schema: draftSchema,
      answerHeaders: draftTag,
      problems: ['not_found'],
      async run({ engine, runId }) {
        const { draft } = await engine.run(runId);
        if (draft !== null) return draft;
        throw new CulpritError('not_found', 'The run has no draft yet. Approve Gate 1 first.');
      },
    }),
  ];
}

function searchValuesRoute(): CoreRoute {
  return operation({
    at: 'GET /api/v1/search-values',
    scope: 'read',
    reach: 'installation',
    id: 'listSearchValues',
    summary: 'List the values of a qualifier of searches, most frequent first',
    query: {
      field: {
        what: `One of ${VALUE_FIELDS.join(', ')}`,
        schema: { type: 'string' },
        required: true,
      },
      prefix: 'The beginning of the value',
      limit: {
        what: 'At most this many',
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      },
    },
    what: 'The values, and how many runs have each',
    schema: v.object({ values: v.array(v.object({ value: v.string(), runs: v.number() })) }),
    run: async ({ request, engine }) => ({
      values: await engine.searchValues(readValuesQuery(request.query)),
    }),
  });
}

/** The query of a list of runs. @throws `malformed` with the name of the wrong parameter. */
function readRunQuery(query: HttpRequest['query']): RunQuery {
  const states = readStates(query.state);
  return {
    limit: readLimit(query.limit),
    ...(states === null ? {} : { states }),
    ...given('project', 'project', query.project, 64),
    ...given('query', 'q', query.q, 2_000),
    ...readOrder(query.order),
    ...given('cursor', 'cursor', query.cursor, 1_000),
  };
}

function readStates(text: string | undefined): readonly RunState[] | null {
  if (text === undefined || text === '') return null;
  return [...new Set(text.split(','))].map((name) => {
    const state = RUN_STATES.find((known) => known === name);
    return state ?? refuse('state', `must be one or more of ${RUN_STATES.join(', ')}, separated by commas`);
  });
}

function readOrder(text: string | undefined): Pick<RunQuery, 'order'> {
  if (text === undefined || text === '') return {};
  const order = RUN_ORDERS.find((known) => known === text);
  return { order: order ?? refuse('order', `must be one of ${RUN_ORDERS.join(', ')}`) };
}

function readValuesQuery({ field = '', prefix = '', limit }: HttpRequest['query']): ValuesQuery {
  const known = qualifierOf(field);
  if (known === null || !isValueField(known)) refuse('field', `must be one of ${VALUE_FIELDS.join(', ')}`);
  if (prefix.length > 80) refuse('prefix', 'may have at most 80 characters');
  const most = limit === undefined || limit === '' ? 20 : /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (most < 1 || most > 100) refuse('limit', 'must be a whole number from 1 to 100');
  return { field: known, prefix, limit: most };
}

function given<Key extends keyof RunQuery>(
  key: Key,
  name: string,
  text: string | undefined,
  chars: number,
): { [K in Key]?: string } {
  if (text === undefined || text === '') return {};
  if (text.length > chars) refuse(name, `may have at most ${chars} characters`);
  return { [key]: text } as { [K in Key]?: string };
}

function refuse(path: string, what: string): never {
  throw new CulpritError('malformed', `"${path}" ${what}.`, { path });
}
