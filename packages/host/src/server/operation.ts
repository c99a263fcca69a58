import { CulpritError, type ErrorCode, type Reviewer } from '@culprit/core';
import * as v from 'valibot';
import type { HttpRequest, HttpResponse } from '../http/message.js';
import { jsonResponse } from '../http/problem-response.js';
import { OPTIONAL_PAGE_PARAMETERS, PAGE_PARAMETERS, pageOf, pageResponse } from './paging.js';
import type { Requirement } from './permit.js';
import { readBody, readOptionalBody } from './read-body.js';
import type { ReviewerCall, ReviewerRoute, RouteDoc } from './route.js';

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
  /** Of the answer; a media type: it is a text. Absent: it has no body, and the status is 204. */
  readonly schema?: v.GenericSchema | 'text/markdown';
  /** The answer is a page with `next`, which `cursor` and `limit` of the query choose. `optional`: without `limit`, it is the whole list. */
  readonly pages?: 'always' | 'optional';
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
  const { at, id, summary, headers, body, what, schema, pages, run, admit, answerHeaders, ...rest } = row;
  const [method, pattern] = at.split(' ') as [Method, string];
  const ofRun = pattern.includes(':run_id');
  const { bodyLimit = BODY_LIMIT, scope, reach, status = schema ? 200 : 204, problems = [] } = rest;
  // The route's own parameters come first, and its words for a parameter of pages hold.
  const query = pages === undefined ? rest.query : { ...rest.query, ...PAGES[pages], ...rest.query };
  const required = body !== undefined && !v.is(body, {});
  const read = required ? readBody : readOptionalBody;
  const isText = typeof schema === 'string';
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
      answers: { [status]: { what, ...(isText ? { type: schema } : schema && { schema }) } },
      problems: [...(ofRun ? NO_RUN : []), ...problems, ...(pages === undefined ? [] : NO_CURSOR)],
    },
    async handle(call) {
      const { request, identity } = call;
      admit?.(call);
      const given = body === undefined ? {} : read(request, body);
      const known = ofRun ? runId(request) : '';
      const answer = await run({ ...call, body: given, reviewer: identity.reviewer, runId: known });
      if (schema === undefined) return { status };
      if (isText) return textResponse(schema, answer as string);
      if (pages !== undefined) return pageResponse(request, answer as { readonly next: string | null });
      return jsonResponse(status, answer, answerHeaders?.(answer as never));
    },
  };
}

const PAGES = { always: PAGE_PARAMETERS, optional: OPTIONAL_PAGE_PARAMETERS } as const;
const NO_CURSOR = ['invalid_cursor'] as const;

function textResponse(type: string, body: string): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' },
    body,
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

/** A list that is in memory as a whole, in pages on request. */
export interface Listing<Entry>
  extends Pick<
    Operation<v.GenericSchema>,
    'id' | 'summary' | 'what' | 'query' | 'problems' | keyof Requirement
  > {
  readonly path: string;
  /** The member of the answer that has the entries, and its schema: an array. */
  readonly name: string;
  readonly entries: v.GenericSchema;
  readonly all: (
    call: ReviewerCall & { readonly runId: string },
  ) => readonly Entry[] | Promise<readonly Entry[]>;
  /** Names an entry: a page begins after the entry that the cursor names. */
  readonly key: (entry: Entry) => string;
  /** What of an entry is shown. Default: all. */
  readonly show?: (entry: Entry) => Answers;
}

export function listing<Entry>(row: Listing<Entry>): ReviewerRoute {
  const { path, name, entries, all, key, show = (one: Entry): Answers => one, ...rest } = row;
  return operation({
    ...rest,
    at: `GET ${path}`,
    schema: v.object({ [name]: entries, next: v.nullable(v.string()) }),
    pages: 'optional',
    async run(call) {
      const { page, next } = pageOf(await all(call), call.request.query, key);
      return { [name]: await Promise.all(page.map(show)), next };
    },
  });
}

/** The run ID in the path, validated before it reaches the storage. */
export function runId(request: Pick<HttpRequest, 'params'>): string {
  const id = request.params.run_id ?? '';
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  throw new CulpritError('run_not_found', 'Run not found.');
}
