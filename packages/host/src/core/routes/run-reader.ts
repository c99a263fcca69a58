import { CulpritError, type Engine, type ErrorCode, type Reviewer } from '@culprit/core';
import type { GenericSchema } from 'valibot';
import type { HttpRequest } from '../../http/message.js';
import { jsonResponse } from '../../http/problem-response.js';
import type { CoreRoute } from '../route.js';

interface ReaderDoc {
  readonly id: string;
  readonly summary: string;
  readonly what: string;
  /** Default: `run_not_found` and `not_found`. */
  readonly problems?: readonly ErrorCode[];
}

/** A GET of `/api/v1/runs/:run_id` or of a path below it. `read` gives the response, which matches `schema`. */
export function runReader(
  path: string,
  schema: GenericSchema,
  read: (engine: Engine, runId: string, reviewer: Reviewer) => Promise<unknown>,
  { id, summary, what, problems = ['run_not_found', 'not_found'] }: ReaderDoc,
): CoreRoute {
  return {
    method: 'GET',
    pattern: `/api/v1/runs/:run_id${path}`,
    access: 'reviewer',
    scope: 'read',
    reach: 'projects',
    doc: { id, summary, answers: { 200: { what, schema } }, problems },
    handle: async ({ request, engine, identity }) =>
      jsonResponse(200, await read(engine, runId(request), identity.reviewer)),
  };
}

/** The run ID in the path, validated before it reaches the storage. */
export function runId(request: Pick<HttpRequest, 'params'>): string {
  const id = request.params.run_id ?? '';
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  throw new CulpritError('run_not_found', 'Run not found.');
}
