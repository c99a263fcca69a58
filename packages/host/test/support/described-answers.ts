import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { composeIssueEvents } from '../../src/compose/issue-events.js';
import { openApiDocument } from '../../src/server/openapi.js';
import { coreRoutes } from '../../src/server/routes.js';
import type { Answer, Exchange } from './http-client.js';
import { conformance, type Json, operationsOf } from './openapi-kit.js';

type Describe = (exchange: Exchange) => string | null;

/** Compares what core answers with a document: says what the document does not describe, `null` if all is described. */
export function describedBy(document: Json): Describe {
  const find = finder(document);
  const wrong = conformance(document);
  return ({ method, path, answer }) => {
    const { status, headers } = answer;
    const operation = find(method, path);
    if (operation === null) return unknownPath(wrong, answer);
    const response = operation.responses[status];
    if (response === undefined) return `${operation.operationId}: ${status} ${answer.json?.code ?? ''}`;
    const at = `${operation.operationId} ${status}`;
    if (response.headers?.ETag !== undefined && headers.etag === undefined) return `${at}: has no ETag`;
    if (response.content === undefined) return answer.text === '' ? null : `${at}: has a body`;
    const type = (headers['content-type'] ?? 'none').replace(/;.*/, '');
    const media = response.content[type] ?? response.content['*/*'];
    if (media === undefined) return `${at}: ${type}`;
    if (type === 'application/problem+json' && !(answer.json.code in media.examples))
      return `${at}: ${answer.json.code}`;
    if (media.schema === undefined || !type.endsWith('json')) return null;
    const error = wrong(media.schema, answer.json);
    return error === null ? null : `${at}: ${error}`;
  };
}

/** Paths and methods without a route get a problem document or, like sentry-cli's, a `detail`. */
function unknownPath(wrong: ReturnType<typeof conformance>, { status, json, text }: Answer): string | null {
  if (status === 204 && text === '') return null;
  const known = [403, 404, 405].includes(status);
  const error = wrong({ $ref: '#/components/schemas/Problem' }, json);
  return known && (error === null || typeof json?.detail === 'string') ? null : `no such path: ${status}`;
}

/** Finds the operation of a request; a literal segment goes before a parameter, and the last parameter may span several. */
function finder(document: Json): (method: string, path: string) => Json | null {
  const rest = new Set(['path', 'rest', 'file']);
  const patterns = Object.values(operationsOf(document)).map((operation) => {
    const source = operation.path
      .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replaceAll(/\{(\w+)\}/g, (_: string, name: string) => (rest.has(name) ? '.+' : '[^/]+'));
    return { operation, pattern: new RegExp(`^${source}$`), parameters: operation.path.split('{').length };
  });
  patterns.sort((one, other) => one.parameters - other.parameters);
  return (method, path) =>
    patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation ??
    null;
}

const home = fileURLToPath(new URL('../../../..', import.meta.url));
const { openApiOf } = await import(pathToFileURL(join(home, 'scripts/lib/pages-host.mjs')).href);
let describe: Describe | null = null;

/** Throws for an answer that core's own description does not know. */
export function checkDescribed(exchange: Exchange): void {
  describe ??= describedBy(openApiOf({ coreRoutes, openApiDocument, composeIssueEvents }));
  const wrong = describe(exchange);
  if (wrong === null) return;
  const { method, path, answer } = exchange;
  throw new Error(`/openapi.json does not describe ${wrong}: ${method} ${path} ${answer.text.slice(0, 500)}`);
}
