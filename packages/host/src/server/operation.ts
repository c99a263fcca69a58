import { CulpritError, type ErrorCode, type Reviewer } from '@culprit/core';
import * as v from 'valibot';
import type { HttpRequest, HttpResponse } from '../http/message.js';
import { jsonResponse } from '../http/problem-response.js';
import { OPTIONAL_PAGE_PARAMETERS, pageOf, pageResponse } from './paging.js';
import type { Requirement } from './permit.js';
import { readBody, readOptionalBody } from './read-body.js';
import type { QueryParameter, ReviewerCall, ReviewerRoute, RouteDoc } from './route.js';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Answers = unknown | Promise<unknown>;
const BODY_LIMIT = 16 * 1024;
const RUN = '/api/v1/runs/:run_id';

/** An operation for reviewers and tokens: JSON in, JSON out. */
export interface Operation<Body extends v.GenericSchema> extends Requirement {
  readonly at: `${Method} ${string}`;
  /** As in {@link RouteDoc}. */
  readonly id: string;
  readonly summary: string;
  readonly query?: RouteDoc['query'];
  readonly headers?: RouteDoc['headers'];
  /** A body may be left out if the schema takes `{}`. */
  readonly body?: Body;
  /** Bytes. Default: 16 KiB. */
  readonly bodyLimit?: number;
  /** What it answers. */
  readonly what: string;
  /** Of the answer. Absent: it has no body, and the status is 204. */
  readonly schema?: v.GenericSchema;
  /** Default: 200, or 204 without a schema. */
  readonly status?: 200 | 201 | 202;
  /** In addition to `run_not_found` of a run. */
  readonly problems?: readonly ErrorCode[];
  /** Also of the answer itself. */
  readonly answerHeaders?: (answer: never) => HttpResponse['headers'];
  /** Called before the body is read: throws if what the path names does not exist for the credential. */
  readonly admit?: (call: ReviewerCall) => void;
  /** Resolves with the answer. */
  readonly run: (call: OperationCall<v.InferOutput<Body>>) => Answers;
}

export interface OperationCall<Body> extends ReviewerCall {
  readonly body: Body;
  readonly reviewer: Reviewer;
  /** Of the path, validated; empty if the path has none. */
  readonly runId: string;
}

export function operation<Body extends v.GenericSchema>(row: Operation<Body>): ReviewerRoute {
  const { at, id, summary, query, headers, body, what, schema, run, admit, answerHeaders, ...rest } = row;
  const [method, pattern] = at.split(' ') as [Method, string];
  const ofRun = pattern.includes(':run_id');
  const { bodyLimit = BODY_LIMIT, scope, reach, status = schema ? 200 : 204, problems = [] } = rest;
  const required = body !== undefined && !v.is(body, {});
  const read = required ? readBody : readOptionalBody;
  return {
    access: 'reviewer',
    method,
    pattern,
    scope,
    reach,
    ...(body === undefined ? {} : { bodyLimit }),
    doc: {
      id,
      summary,
      ...(query && { query }),
      ...(headers && { headers }),
      ...(body && { body: { schema: body, required } }),
      answers: { [status]: { what, ...(schema && { schema }) } },
      problems: [...(ofRun ? NO_RUN : []), ...problems],
    },
    async handle(call) {
      const { request, identity } = call;
      admit?.(call);
      const given = body === undefined ? {} : read(request, body);
      const known = ofRun ? runId(request) : '';
      const answer = await run({ ...call, body: given, reviewer: identity.reviewer, runId: known });
      return schema === undefined
        ? { status }
        : jsonResponse(status, answer, answerHeaders?.(answer as never));
    },
  };
}

const NO_RUN = ['run_not_found'] as const;

/** An operation on a run, or on what is below it. `at`: method and the path from there. */
export function runOperation<Body extends v.GenericSchema>({
  at,
  ...row
}: Omit<Operation<Body>, 'reach'>): ReviewerRoute {
  const [method, path = ''] = at.split(' ');
  return operation<Body>({ ...row, reach: 'projects', at: `${method as Method} ${RUN}${path}` });
}

/** A GET of a run, or of what is below it. */
export function runReader(
  path: string,
  schema: v.GenericSchema,
  run: (call: OperationCall<unknown>) => Answers,
  doc: Pick<Operation<v.GenericSchema>, 'id' | 'summary' | 'what' | 'problems'>,
): ReviewerRoute {
  return runOperation({ ...doc, at: `GET ${path}`, scope: 'read', schema, run });
}

/** A list that is in memory as a whole, in pages on request. */
export interface Listing<Entry> extends Requirement {
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** In addition to those of the page. */
  readonly query?: Readonly<Record<string, string | QueryParameter>>;
  readonly what: string;
  /** The member of the answer that has the entries, and its schema: an array. */
  readonly name: string;
  readonly entries: v.GenericSchema;
  readonly problems?: readonly ErrorCode[];
  readonly all: (
    call: ReviewerCall & { readonly runId: string },
  ) => readonly Entry[] | Promise<readonly Entry[]>;
  /** Names an entry: a page begins after the entry that the cursor names. */
  readonly key: (entry: Entry) => string;
  /** What of an entry is shown. Default: all. */
  readonly show?: (entry: Entry) => Answers;
}

export function listing<Entry>(row: Listing<Entry>): ReviewerRoute {
  const { path: pattern, id, summary, what, name, entries, all, key, scope, reach } = row;
  const { query, problems = [], show = (one: Entry): Answers => one } = row;
  const ofRun = pattern.includes(':run_id');
  const schema = v.object({ [name]: entries, next: v.nullable(v.string()) });
  return {
    access: 'reviewer',
    method: 'GET',
    pattern,
    scope,
    reach,
    doc: {
      id,
      summary,
      query: { ...query, ...OPTIONAL_PAGE_PARAMETERS },
      answers: { 200: { what, schema } },
      problems: [...(ofRun ? NO_RUN : []), ...problems, 'invalid_cursor'],
    },
    async handle(call) {
      const { request } = call;
      const known = ofRun ? runId(request) : '';
      const { page, next } = pageOf(await all({ ...call, runId: known }), request.query, key);
      return pageResponse(request, { [name]: await Promise.all(page.map(show)), next });
    },
  };
}

/** The run ID in the path, validated before it reaches the storage. */
export function runId(request: Pick<HttpRequest, 'params'>): string {
  const id = request.params.run_id ?? '';
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  throw new CulpritError('run_not_found', 'Run not found.');
}
