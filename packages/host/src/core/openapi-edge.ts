import { problemResponses } from './openapi-problems.js';

const SERVERS = [{ url: 'http://127.0.0.1:8001', description: 'Server A, edge' }];
const JSON_CRASH = { 'application/json': { schema: { $ref: '#/components/schemas/CrashObject' } } };
const JSON_GUARD = { 'application/json': { schema: { $ref: '#/components/schemas/GuardTelemetry' } } };
const ACCEPTED = {
  202: {
    description: 'The delivery is on disk',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['id', 'status'],
          properties: { id: { type: 'string' }, status: { const: 'accepted' } },
        },
      },
    },
  },
};

/** On the edge as on core, which describes them. */
export const SHARED_PROBES = ['/healthz', '/readyz', '/metrics'] as const;

/** The doors of the edge, which serves no description of its own. */
export function edgePaths(): Record<string, object> {
  const refusals = problemResponses([
    'malformed',
    'unauthenticated',
    'forbidden',
    'too_large',
    'unsupported_encoding',
    'overloaded',
  ]);
  const webhook = (summary: string, parameters: object[] = []) => ({
    post: {
      summary,
      servers: SERVERS,
      security: [{ hook: [] }],
      parameters,
      requestBody: { required: true, content: JSON_CRASH },
      responses: { ...ACCEPTED, ...refusals },
    },
  });
  const connector = { name: 'connector', in: 'path', required: true, schema: { type: 'string' } };
  return {
    '/webhook/errortracker': webhook('An alert, signed with HMAC-SHA256 over the raw body'),
    '/webhook/{connector}': webhook('A delivery in that connector’s scheme', [connector]),
    '/api/v1/telemetry/ingest': {
      post: {
        summary: 'A crash object',
        servers: SERVERS,
        security: [{ service: [] }],
        requestBody: { required: true, content: JSON_CRASH },
        responses: { ...ACCEPTED, ...refusals, ...problemResponses(['rate_limited']) },
      },
    },
    '/api/{project}/envelope/': sdkDoor('An envelope of an error tracker’s SDK', [PROJECT]),
    '/api/{project}/store/': storeDoor([PROJECT]),
    '/api/store/': storeDoor([]),
    '/tunnel/': sdkDoor(
      'Envelopes that a site’s own server passes on; open for the DSNs that are allowed',
      [],
    ),
    '/api/v1/guard': {
      get: {
        summary: 'Guard figures: limits, what they allowed and refused, the spool',
        servers: SERVERS,
        security: [{ service: [] }],
        responses: {
          200: { description: 'The figures', content: JSON_GUARD },
          ...problemResponses(['unauthenticated']),
        },
      },
    },
  };
}

const PROJECT = { name: 'project', in: 'path', required: true, schema: { type: 'string' } };

/** The image of old browser SDKs comes by GET, with the event in its query. */
function storeDoor(parameters: readonly object[]) {
  const { post } = sdkDoor('A single event of an old SDK', parameters);
  const { requestBody: _, ...get } = post;
  return { post, get: { ...get, summary: 'The same, with the event in the query' } };
}

function sdkDoor(summary: string, parameters: readonly object[]) {
  return {
    post: {
      summary,
      servers: SERVERS,
      security: [{ sdk: [] }],
      parameters,
      requestBody: { required: true, content: { 'application/x-sentry-envelope': {} } },
      responses: {
        200: {
          description: 'Kept; the body names the event',
          content: {
            'application/json': {
              schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
            },
          },
        },
        400: { description: 'Malformed' },
        401: { description: 'Unknown key' },
        413: { description: 'Too large' },
        429: { description: 'Limited; Retry-After says for how long' },
      },
    },
  };
}
