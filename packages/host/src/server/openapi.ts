import type { ErrorCode } from '@culprit/core';
import { PART_VERSIONS } from '@culprit/core/internal/pipeline/versions';
import { webhookDescriptions } from '../webhooks/event-schema.js';
import { takesKey } from './idempotency.js';
import { liveMessageSchema } from './live/protocol.js';
import { edgePaths } from './openapi-edge.js';
import { DETAIL_ALONE, problemResponses } from './openapi-problems.js';
import { sampleOf } from './openapi-sample.js';
import { namedSchemas, schemaOf } from './openapi-schemas.js';
import { checksQuery } from './query-check.js';
import type { CoreRoute, RouteAnswer, RouteDoc } from './route.js';

/** OpenAPI 3.1 of both servers, generated from the routes and their schemas. */
export function openApiDocument(routes: readonly CoreRoute[], url: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.pattern.replaceAll(/[:*](\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, path) };
  }
  schemaOf(liveMessageSchema, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Culprit',
      version: PART_VERSIONS.culprit,
      summary: 'From a crash to a reviewed issue that names the change.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url, description: 'Server B, core' }],
    tags: tagsOf(routes),
    paths: { ...paths, ...edgePaths() },
    webhooks: webhookDescriptions((schema) => schemaOf(schema, 'output')),
    components: {
      schemas: namedSchemas(),
      securitySchemes: {
        reviewer: { type: 'http', scheme: 'bearer', description: 'A token from REVIEWER_TOKENS' },
        session: {
          ...{ type: 'apiKey', in: 'cookie', name: 'culprit_session' },
          description:
            'On https the name begins with `__Host-`, or with `__Secure-` if PUBLIC_URL has a path',
        },
        gateway: { type: 'http', scheme: 'bearer', description: 'INTERNAL_GATEWAY_SECRET' },
        service: { type: 'apiKey', in: 'header', name: 'X-Service-Token' },
        hook: { type: 'apiKey', in: 'header', name: 'tracker-hook-signature' },
        sdk: { type: 'apiKey', in: 'header', name: 'X-Sentry-Auth' },
      },
    },
  };
}

/** The name of the group: the first part of the path that names something. */
function tagOf(pattern: string): string {
  const [first = ''] = pattern.replace(/^\/api\/(?:v1|0)(?=\/)/, '').match(/[a-z][\w-]*/) ?? [];
  return first === '' ? 'board' : first;
}

function tagsOf(routes: readonly CoreRoute[]): object[] {
  const names = new Set(routes.map(({ pattern }) => tagOf(pattern)));
  return [...[...names].sort().map((name) => ({ name })), { name: 'edge', description: 'Server A' }];
}

const SECURITY = {
  open: [],
  reviewer: [{ reviewer: [] }, { session: [] }],
  internal: [{ gateway: [] }],
} as const;

function operation(route: CoreRoute, path: string): object {
  const { doc } = route;
  return {
    operationId: doc.id,
    tags: [tagOf(route.pattern)],
    summary: doc.summary,
    security: SECURITY[route.access],
    parameters: parameters(route, path),
    ...(doc.body === undefined
      ? {}
      : {
          requestBody: {
            required: doc.body.required,
            content: {
              'application/json': described(schemaOf(doc.body.schema, 'input')),
            },
          },
        }),
    responses: merged(successes(route), problems(route)),
  };
}

/** The schemas of path parameters that are checked. */
const IN_PATH: Readonly<Record<string, object>> = {
  run_id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  number: { type: 'integer', minimum: 1 },
};

/** What path parameters name. */
const NAMED: Readonly<Record<string, string>> = {
  run_id: 'The id of the run',
  number: 'The number of the occurrence, or of the issue',
  session_id: 'The id of the session in the list',
  id: 'The id in the list',
  webhook_id: 'The id of the webhook',
  erasure_id: 'The id of the erasure',
  edge: 'The name of the edge',
  project: 'The name of the project',
  version: 'The release as crashes name it, percent-encoded',
  organisation: 'Any name: an installation is one organisation',
  sha: 'The full SHA of a commit',
  path: 'The path of the file in the repository',
  build: 'The build of the board',
  name: 'The name of the file',
};

function parameters(route: CoreRoute, path: string): object[] {
  const { doc } = route;
  const string = { type: 'string' };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    return { name, in: 'path', required: true, description: NAMED[name], schema: IN_PATH[name] ?? string };
  });
  const inQuery = Object.entries(doc.query ?? {}).map(([name, one]) => {
    const { what, schema, required } =
      typeof one === 'string' ? { what: one, schema: string, required: false } : one;
    return { name, in: 'query', description: what, schema, ...(required ? { required } : {}) };
  });
  const inHeader = Object.entries({ ...doc.headers, ...commonHeaders(route) }).map(([name, description]) => {
    return { name, in: 'header', description, schema: string };
  });
  return [...inPath, ...inQuery, ...inHeader];
}

interface Described {
  readonly description: string;
  readonly content?: object;
}

/** Answers and errors by status; one status may have both, in different media types. */
function merged(
  answers: Readonly<Record<string, Described>>,
  errors: Readonly<Record<string, Described>>,
): object {
  const both = Object.entries(errors).map(([status, error]) => {
    const answer = answers[status];
    if (answer === undefined) return [status, error];
    const content = { ...answer.content, ...error.content };
    return [status, { ...answer, description: `${answer.description}. ${error.description}`, content }];
  });
  return { ...answers, ...Object.fromEntries(both) };
}

/** Headers that every route of a kind understands. */
function commonHeaders(route: CoreRoute): Readonly<Record<string, string>> {
  if (hasTag(route))
    return { 'If-None-Match': 'An ETag that you have: responds with 304 while it is current' };
  if (takesKey(route)) {
    return {
      'Idempotency-Key':
        'A random text in quotes: repetitions within 24 hours get the first answer. Answers to repetitions have `Idempotency-Replayed: true`',
    };
  }
  return {};
}

/** Answers of readers carry an ETag. */
function hasTag({ access, method, doc }: CoreRoute): boolean {
  return access === 'reviewer' && method === 'GET' && isData(doc);
}

function isData({ answers }: RouteDoc): boolean {
  const { schema, type } = answers[200] ?? {};
  return schema !== undefined || type === 'application/json' || type === 'text/markdown';
}

function successes(route: CoreRoute): Record<string, Described> {
  const { doc } = route;
  const headers = {
    ...(hasTag(route) ? { ETag: { description: 'Of this answer', schema: { type: 'string' } } } : {}),
    ...(doc.query?.cursor === undefined
      ? {}
      : {
          Link: {
            description: 'The next page, `rel="next"`; left out if it were longer than 2,048 characters',
            schema: { type: 'string' },
          },
        }),
  };
  const answers = Object.entries(doc.answers).map(([status, answer]) => {
    const content = contentOf(answer);
    const ok = status === '200' && Object.keys(headers).length > 0;
    return [
      status,
      { description: answer.what, ...(ok ? { headers } : {}), ...(content === null ? {} : { content }) },
    ];
  });
  return {
    ...Object.fromEntries(answers),
    ...(hasTag(route) ? { 304: { description: 'Unchanged: the ETag of `If-None-Match` is current' } } : {}),
  };
}

function contentOf({ schema, type }: RouteAnswer): object | null {
  if (schema === undefined && type === undefined) return null;
  const json = schema && { 'application/json': described(schemaOf(schema, 'output')) };
  const others = [type ?? []].flat();
  const pages = others.map(
    (one) => [one, one === 'application/json' ? {} : { schema: { type: 'string' } }] as const,
  );
  return { ...Object.fromEntries(pages), ...json };
}

/** A schema with an example. */
function described(schema: object): object {
  const example = sampleOf(schema, namedSchemas());
  return { schema, ...(example === undefined ? {} : { example }) };
}

/** Errors of every route of a kind, and those of its own. */
function problems(route: CoreRoute): Record<string, Described> {
  const { access, method, doc } = route;
  const codes: ErrorCode[] = ['host_refused', 'internal', 'overloaded'];
  if (checksQuery(route)) codes.push('malformed');
  codes.push(...(doc.problems ?? []));
  if (access !== 'open') codes.push('unauthenticated', 'storage_unavailable');
  if (access === 'reviewer') codes.push('rate_limited');
  if (access === 'reviewer' && (route.scope !== 'any' || route.reach === 'installation'))
    codes.push('forbidden');
  if (access === 'reviewer' && method !== 'GET') codes.push('origin_refused');
  if (method !== 'GET') codes.push('too_large', 'timed_out');
  if (takesKey(route)) codes.push('malformed', 'idempotency_in_progress', 'idempotency_mismatch');
  return route.refusal === undefined ? problemResponses(codes) : problemResponses(codes, DETAIL_ALONE);
}
