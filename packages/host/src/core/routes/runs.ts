import { CulpritError, type RunQuery, type RunState } from '@culprit/core';
import { RUN_STATES } from '@culprit/core/model';
import * as v from 'valibot';
import type { HttpRequest } from '../../http/message.js';
import { jsonResponse } from '../../http/problem-response.js';
import type { CoreRoute } from '../route.js';
import { historyEntrySchema, runSchema, runSummarySchema } from '../schema/run.js';
import { runReader } from './run-reader.js';

const DEFAULT_LIMIT = 50;
const MOST = 200;
const historySchema = v.object({ entries: v.array(historyEntrySchema) });

/** Runs and their history. */
export function runRoutes(): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/api/v1/runs',
      access: 'reviewer',
      doc: {
        summary: 'List runs, latest activity first',
        query: {
          state: `One or more of ${RUN_STATES.join(', ')}, separated by commas`,
          project: 'Only this project',
          query: 'Words that all have to occur in the title, fingerprint hash or run ID',
          cursor: '`next` of the previous page of the same query',
          limit: `1 to ${MOST}, default ${DEFAULT_LIMIT}`,
        },
        answers: {
          200: {
            what: 'A page of runs',
            schema: v.object({ runs: v.array(runSummarySchema), next: v.nullable(v.string()) }),
          },
        },
        problems: ['malformed', 'invalid_cursor'],
      },
      async handle({ request, engine }) {
        const { runs, next } = await engine.runs(readQuery(request.query));
        return jsonResponse(200, { runs, next });
      },
    },
    runReader('', runSchema, (engine, id) => engine.run(id), {
      summary: 'Get a run',
      what: 'The run',
      problems: ['run_not_found'],
    }),
    runReader('/history', historySchema, async (engine, id) => ({ entries: await engine.history(id) }), {
      summary: 'Get the history: every decision and step, oldest first',
      what: 'The history',
      problems: ['run_not_found'],
    }),
  ];
}

function readQuery(query: HttpRequest['query']): RunQuery {
  const states = readStates(query.state);
  return {
    limit: readLimit(query.limit),
    ...(states === null ? {} : { states }),
    ...given('project', query.project, 64),
    ...given('query', query.query, 200),
    ...given('cursor', query.cursor, 1_000),
  };
}

function readStates(text: string | undefined): readonly RunState[] | null {
  if (text === undefined || text === '') return null;
  return [...new Set(text.split(','))].map((name) => {
    const state = RUN_STATES.find((known) => known === name);
    return state ?? refuse('state', `must be one or more of ${RUN_STATES.join(', ')}, separated by commas`);
  });
}

function readLimit(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_LIMIT;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= MOST ? limit : refuse('limit', `must be a whole number from 1 to ${MOST}`);
}

function given<Key extends string>(
  key: Key,
  text: string | undefined,
  chars: number,
): { [K in Key]?: string } {
  if (text === undefined || text === '') return {};
  if (text.length > chars) refuse(key, `may have at most ${chars} characters`);
  return { [key]: text } as { [K in Key]?: string };
}

function refuse(path: string, what: string): never {
  throw new CulpritError('malformed', `"${path}" ${what}.`, { path });
}
