import { guardTelemetrySchema } from '../edge/guards/guard-telemetry.js';
import { problemResponses } from './openapi-problems.js';
import { schemaOf } from './openapi-schemas.js';

const SERVERS = [{ url: 'http://127.0.0.1:8001', description: 'Server A, edge' }];
const CRASH = {
  level: 'error',
  environment: 'production',
  release: '2.4.1',
  exception: {
    values: [
      {
        type: 'TypeError',
        value: "Cannot read properties of undefined (reading 'price')",
        stacktrace: { frames: [{ filename: 'src/cart.js', function: 'total', lineno: 4, in_app: true }] },
      },
    ],
  },
};
const JSON_CRASH = {
  'application/json': { schema: { $ref: '#/components/schemas/CrashObject' }, example: CRASH },
};
const ACCEPTED = {
  202: {
    description: 'The delivery is stored in the spool',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['id', 'status'],
          properties: { id: { type: 'string' }, status: { const: 'accepted' } },
        },
        example: { id: '0b1f6f0c9c5b4b7e8f1d2c3a4b5c6d7e', status: 'accepted' },
      },
    },
  },
};

/** Probes that the edge and core share. */
export const SHARED_PROBES = ['/healthz', '/readyz', '/metrics'] as const;

/** The routes of the edge, which does not serve its own OpenAPI document. */
export function edgePaths(): Record<string, object> {
  const refusals = problemResponses([
    'malformed',
    'unauthenticated',
    'forbidden',
    'too_large',
    'unsupported_encoding',
    'overloaded',
  ]);
  const jsonDoor = (
    id: string,
    summary: string,
    security: object,
    parameters: object[] = [],
    problems: object = {},
  ) => ({
    post: {
      ...named(id),
      summary,
      servers: SERVERS,
      security: [security],
      parameters,
      requestBody: { required: true, content: JSON_CRASH },
      responses: { ...ACCEPTED, ...refusals, ...problems },
    },
  });
  const hook = { hook: [] };
  const project = inPath('project', 'The project of the DSN');
  const connector = inPath('connector', 'The id of the connector');
  return {
    '/webhook/errortracker': jsonDoor(
      'sendAlert',
      'Send an alert, signed with HMAC-SHA256 over the raw body',
      hook,
    ),
    '/webhook/{connector}': jsonDoor(
      'sendDelivery',
      'Send a delivery in the connector’s format',
      hook,
      [connector],
      problemResponses(['not_found']),
    ),
    '/api/v1/telemetry/ingest': jsonDoor(
      'sendCrash',
      'Send a crash object',
      { service: [] },
      [],
      problemResponses(['rate_limited']),
    ),
    '/v1/logs': otlpDoor('exportLogs', 'Export log records from OpenTelemetry; exceptions become crashes'),
    '/v1/traces': otlpDoor('exportTraces', 'Export spans from OpenTelemetry; exceptions become crashes'),
    '/api/{project}/envelope/': sdkDoor('sendEnvelope', 'Send an envelope of an error tracker’s SDK', [
      project,
    ]),
    '/api/{project}/store/': storeDoor('sendEvent', [project]),
    '/api/store/': storeDoor('sendEventByKey', []),
    '/tunnel/': sdkDoor(
      'tunnelEnvelope',
      'Send an envelope through a tunnel; accepts only the configured DSNs',
      [],
    ),
    '/api/v1/guard': {
      get: {
        ...named('getGuard'),
        summary: 'Guard telemetry: limits with their counters, and the spool',
        servers: SERVERS,
        security: [{ service: [] }],
        responses: {
          200: {
            description: 'The guard telemetry',
            content: { 'application/json': { schema: schemaOf(guardTelemetrySchema, 'output') } },
          },
          ...problemResponses(['unauthenticated']),
        },
      },
    },
  };
}

function named(operationId: string) {
  return { operationId, tags: ['edge'] };
}

function inPath(name: string, description: string): object {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

/** Old browser SDKs request an image by GET, with the event in the query. */
function storeDoor(id: string, parameters: readonly object[]) {
  const { post } = sdkDoor(id, 'Send a single event of an old SDK', parameters);
  const { requestBody: _, ...rest } = post;
  const image = { description: 'Accepted; an empty image', content: { 'image/gif': {} } };
  const responses = { ...post.responses, 200: image };
  const get = {
    ...rest,
    ...named(`${id}InQuery`),
    summary: 'Send a single event in the query; the answer is an image',
    responses,
  };
  return { post, get };
}

function otlpDoor(id: string, summary: string) {
  const content = { 'application/x-protobuf': {}, 'application/json': { schema: { type: 'object' } } };
  const status = (description: string) => ({ description: `${description}: a google.rpc.Status`, content });
  return {
    post: {
      ...named(id),
      summary,
      servers: SERVERS,
      security: [{ service: [] }],
      requestBody: { required: true, content },
      responses: {
        200: { description: 'Stored; `partial_success` names what was rejected', content },
        400: status('Malformed'),
        401: status('Unknown token'),
        413: status('Too large'),
        429: status('Rate limited; see Retry-After'),
        503: status('Try again; see Retry-After'),
      },
    },
  };
}

/** In the form that SDKs know. */
function sdkRefusal(description: string) {
  const schema = {
    type: 'object',
    required: ['detail'],
    properties: { detail: { type: 'string' }, causes: { type: 'array', items: { type: 'string' } } },
  };
  return { description, content: { 'application/json': { schema } } };
}

function sdkDoor(id: string, summary: string, parameters: readonly object[]) {
  return {
    post: {
      ...named(id),
      summary,
      servers: SERVERS,
      security: [{ sdk: [] }],
      parameters,
      requestBody: { required: true, content: { 'application/x-sentry-envelope': {} } },
      responses: {
        200: {
          description: 'Accepted; the body contains the event ID, if there is one',
          content: {
            'application/json': {
              schema: { type: 'object', properties: { id: { type: 'string' } } },
            },
          },
        },
        400: sdkRefusal('Malformed'),
        401: sdkRefusal('Unknown key'),
        403: sdkRefusal('The key belongs to another project'),
        413: sdkRefusal('Too large'),
        415: sdkRefusal('Unsupported content encoding'),
        429: sdkRefusal('Rate limited; see Retry-After'),
        503: sdkRefusal('Try again'),
      },
    },
  };
}
