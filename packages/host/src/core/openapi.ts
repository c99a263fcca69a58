import type { ErrorCode } from '@culprit/core';
import { crashObjectSchema, ERRORS } from '@culprit/core/model';
import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { liveMessageSchema } from '../live/protocol.js';
import { edgePaths } from './openapi-edge.js';
import { problemResponses } from './openapi-problems.js';
import type { CoreRoute, RouteDoc } from './route.js';
import { deliveryBatchSchema, recordResultSchema } from './schema/delivery-batch.js';
import { eventSchema } from './schema/event.js';
import { guardTelemetrySchema } from './schema/guard.js';
import { draftSchema, historyEntrySchema, runSchema, runSummarySchema } from './schema/run.js';

const problemSchema = v.object({
  type: v.string(),
  title: v.string(),
  status: v.number(),
  code: v.picklist(Object.keys(ERRORS) as ErrorCode[]),
  detail: v.string(),
  path: v.exactOptional(v.pipe(v.string(), v.description('The invalid member.'))),
  state: v.exactOptional(
    v.pipe(v.string(), v.description('With state_conflict: the current state of the run.')),
  ),
  scope: v.exactOptional(v.pipe(v.string(), v.description('With forbidden: the missing scope.'))),
  digest: v.exactOptional(v.pipe(v.string(), v.description('With draft_changed: the current digest.'))),
});

/** Named in `components.schemas`. */
const NAMED = {
  Run: runSchema,
  RunSummary: runSummarySchema,
  Event: eventSchema,
  Draft: draftSchema,
  HistoryEntry: historyEntrySchema,
  DeliveryBatch: deliveryBatchSchema,
  RecordResult: recordResultSchema,
  GuardTelemetry: guardTelemetrySchema,
  LiveMessage: liveMessageSchema,
  Problem: problemSchema,
};

const CONVERSION = {
  target: 'draft-2020-12',
  typeMode: 'input',
  errorMode: 'ignore',
} as const;

/** OpenAPI 3.1 of both servers, generated from the routes and their schemas. */
export function openApiDocument(routes: readonly CoreRoute[], url: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.pattern.replaceAll(/[:*](\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, path) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Culprit',
      version: '1',
      summary: 'From a crash to a reviewed issue that names the change.',
    },
    servers: [{ url, description: 'Server B, core' }],
    paths: { ...paths, ...edgePaths() },
    components: {
      schemas: {
        ...toJsonSchemaDefs(NAMED, {
          ...CONVERSION,
          overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
        }),
        CrashObject: crashObjectSchema,
      },
      securitySchemes: {
        reviewer: { type: 'http', scheme: 'bearer', description: 'A token from REVIEWER_TOKENS' },
        session: { type: 'apiKey', in: 'cookie', name: 'culprit_session' },
        gateway: { type: 'http', scheme: 'bearer', description: 'INTERNAL_GATEWAY_SECRET' },
        service: { type: 'apiKey', in: 'header', name: 'X-Service-Token' },
        hook: { type: 'apiKey', in: 'header', name: 'tracker-hook-signature' },
        sdk: { type: 'apiKey', in: 'header', name: 'X-Sentry-Auth' },
      },
    },
  };
}

function operation(route: CoreRoute, path: string): object {
  const { doc } = route;
  const security = { open: [], reviewer: [{ reviewer: [] }, { session: [] }], internal: [{ gateway: [] }] };
  return {
    summary: doc.summary,
    operationId: `${route.method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    security: security[route.access],
    parameters: parameters(doc, path),
    ...(doc.body === undefined
      ? {}
      : {
          requestBody: {
            required: doc.body.required,
            content: { 'application/json': { schema: schemaOf(doc.body.schema) } },
          },
        }),
    responses: { ...successes(doc), ...problems(route) },
  };
}

function parameters(doc: RouteDoc, path: string): object[] {
  const string = { type: 'string' };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: string };
  });
  const named = (place: string, all: Readonly<Record<string, string>> = {}) =>
    Object.entries(all).map(([name, description]) => ({ name, in: place, description, schema: string }));
  return [...inPath, ...named('query', doc.query), ...named('header', doc.headers)];
}

function successes(doc: RouteDoc): Record<string, object> {
  return Object.fromEntries(
    Object.entries(doc.answers).map(([status, { what, schema, type }]) => {
      const content =
        schema === undefined
          ? type === undefined
            ? {}
            : { content: { [type]: {} } }
          : { content: { 'application/json': { schema: schemaOf(schema) } } };
      return [status, { description: what, ...content }];
    }),
  );
}

function problems(route: CoreRoute): Record<string, object> {
  const codes: ErrorCode[] = ['host_refused', 'internal', ...(route.doc.problems ?? [])];
  if (route.access !== 'open') codes.push('unauthenticated');
  if (route.access === 'reviewer' && (route.scope !== 'any' || route.reach === 'installation'))
    codes.push('forbidden');
  if (route.access === 'reviewer' && route.method !== 'GET') codes.push('origin_refused');
  if (route.bodyLimit !== undefined) codes.push('too_large', 'timed_out');
  return problemResponses(codes);
}

function schemaOf(schema: v.GenericSchema): object {
  const named = Object.entries(NAMED).find(([, known]) => (known as v.GenericSchema) === schema);
  if (named !== undefined) return { $ref: `#/components/schemas/${named[0]}` };
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    ...CONVERSION,
    definitions: NAMED,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  });
  delete (rest as { $defs?: unknown }).$defs;
  return rest;
}
