import type { ValidateFunction } from 'ajv';
import { compiled, deref, github, type Operation, type Schema } from './openapi.js';

/** GitHub adds these to the addresses in `Link`, but does not describe them (docs: using pagination in the REST API). */
const CURSORS: readonly string[] = ['after', 'before'];

/** Parameters that may contain slashes at the end of a path. */
const SLASHED: readonly string[] = ['basehead', 'path', 'ref'];

export interface CheckedRequest {
  /** As GitHub names it, `GET /repos/{owner}/{repo}/issues`; `null` if there is no such route. */
  readonly route: string | null;
  /** Values of the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** What GitHub would ignore or misread without an error. */
  readonly problems: readonly string[];
}

/**
 * Compares a request with GitHub's description: route, path, query and body, with types and ranges. A missing member of the
 * body is no problem here, because GitHub rejects it visibly.
 */
export function checkRequest(method: string, address: URL, path: string, body: unknown): CheckedRequest {
  const found = routeOf(method, path);
  if (found === null) return { route: null, params: {}, problems: [`GitHub has no ${method} ${path}`] };
  const { route, operation, values } = found;
  const params = Object.fromEntries(values);
  if (operation === null)
    return { route, params, problems: [`${route}: the double does not have it yet (RULES.md)`] };
  const known = (operation.parameters ?? []).map((one) => deref(one) as unknown as Parameter);
  const parameter = (where: string, wanted: string) =>
    known.find(({ in: at, name }) => at === where && name === wanted);
  const problems: string[] = [];
  const check = (where: string, name: string, value: string) => {
    const rule = parameter(where, name);
    if (rule === undefined) {
      if (where === 'query' && !CURSORS.includes(name)) problems.push(`${name} is no parameter`);
    } else if (!allowed(`${route} ${where} ${name}`, rule)(typed(value, rule.schema)))
      problems.push(`${name}=${value.slice(0, 60)} is not allowed`);
  };
  for (const [name, value] of values) check('path', name, value);
  for (const [name, value] of address.searchParams) check('query', name, value);
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (body !== null && schema === undefined) problems.push('it has no body');
  if (body !== null && schema !== undefined)
    problems.push(...unknownMembers(schema, body).map((name) => `${name} is no member of the body`));
  return { route, params, problems: problems.map((problem) => `${route}: ${problem}`) };
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
  readonly schema: Schema;
}

/** Some ranges are only described: `(max 100)`. */
function allowed(key: string, { schema, description = '' }: Parameter): ValidateFunction {
  const most = /\(max(?:imum)? (\d+)\)/.exec(description)?.[1];
  const least = schema.type === 'integer' ? { minimum: 1 } : {};
  return compiled(key, { ...least, ...(most === undefined ? {} : { maximum: Number(most) }), ...schema });
}

function typed(value: string, { type }: Schema): unknown {
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

/** Members that no alternative of the schema describes. */
function unknownMembers(given: Schema, value: unknown, at = ''): readonly string[] {
  const schema = deref(given);
  const alternatives = (schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined;
  if (alternatives !== undefined && schema.properties === undefined) {
    const found = alternatives.map((one) => unknownMembers(one, value, at));
    return found.reduce((best, one) => (one.length < best.length ? one : best));
  }
  if (Array.isArray(value)) {
    const { items } = schema as { items?: Schema };
    return items === undefined ? [] : value.flatMap((item) => unknownMembers(items, item, at));
  }
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, additionalProperties } = schema as {
    properties?: Record<string, Schema>;
    additionalProperties?: unknown;
  };
  return Object.entries(value).flatMap(([name, member]) => {
    const known = properties[name];
    if (known !== undefined) return unknownMembers(known, member, `${at}${name}.`);
    return additionalProperties ? [] : [`${at}${name}`];
  });
}

interface Route {
  readonly route: string;
  /** `null`: the double does not have it. */
  readonly operation: Operation | null;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly literals: number;
}

let routes: readonly Route[] | null = null;

/** The route with the most literal parts. */
function routeOf(method: string, path: string) {
  routes ??= [
    ...Object.entries(github().paths).flatMap(([template, operations]) =>
      Object.entries(operations).map(([verb, operation]) =>
        compiledRoute(`${verb.toUpperCase()} ${template}`, operation),
      ),
    ),
    ...github().others.map((route) => compiledRoute(route, null)),
  ].sort((a, b) => b.literals - a.literals);
  const verb = method === 'HEAD' ? 'GET' : method;
  for (const { route, operation, pattern, names } of routes) {
    const found = route.startsWith(`${verb} `) ? pattern.exec(path) : null;
    if (found === null) continue;
    const values = names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')] as const);
    return { route, operation, values };
  }
  return null;
}

function compiledRoute(route: string, operation: Operation | null): Route {
  const template = route.slice(route.indexOf(' ') + 1);
  const parts = template.split('/');
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const source = parts
    .map((part, index) =>
      part
        .replace(/[.+*?^$()[\]|\\]/g, '\\$&')
        .replace(/\{(\w+)\}/g, (_, name) =>
          index === parts.length - 1 && SLASHED.includes(name) ? '(.+)' : '([^/]+)',
        ),
    )
    .join('/');
  const literals = parts.filter((part) => !part.startsWith('{')).length;
  return { route, operation, pattern: new RegExp(`^${source}$`), names, literals };
}
