import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

type Schema = Record<string, unknown>;
interface Operation {
  readonly parameters?: readonly Schema[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses: Record<string, Schema>;
}
interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Schema;
  /** Names of the routes that the double does not have. */
  readonly others: readonly string[];
  /** Names of the schemas of events. */
  readonly events: readonly string[];
}

let description: Description | null = null;
let ajv: Ajv | null = null;
const validators = new Map<string, ValidateFunction | null>();

/** The part of GitHub's own OpenAPI description that is needed here, as `scripts/github-description.mjs` extracts it. */
function github(): Description {
  if (description) return description;
  const path = createRequire(import.meta.url).resolve('@culprit/doubles/github/description.json');
  description = tidy(JSON.parse(readFileSync(path, 'utf8'))) as Description;
  return description;
}

/**
 * Translates OpenAPI 3.0's `nullable` for ajv: an enum accepts `null`, a schema without `type` gets it as an alternative.
 * References point into one shared schema.
 */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const object: Schema = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === 'nullable' && !('type' in value)) continue;
    object[key] =
      key === '$ref' && typeof member === 'string' ? member.replace(/^#\//, 'gh#/') : tidy(member);
  }
  if ((value as Schema).nullable !== true) return object;
  if (Array.isArray(object.enum) && !object.enum.includes(null)) object.enum = [...object.enum, null];
  return 'type' in value ? object : { anyOf: [object, { type: 'null' }] };
}

function compiler(): Ajv {
  if (ajv) return ajv;
  ajv = new Ajv({ strict: false, allErrors: false, validateFormats: true });
  (formats as unknown as (instance: Ajv) => void)(ajv);
  ajv.addSchema({ $id: 'gh', components: github().components });
  return ajv;
}

function deref(schema: Schema): Schema {
  const ref = schema.$ref;
  if (typeof ref !== 'string') return schema;
  let found: unknown = { components: github().components };
  for (const part of ref.replace('gh#/', '').split('/')) found = (found as Schema)[part];
  return found as Schema;
}

function validator(key: string, schema: () => Schema | undefined): ValidateFunction | null {
  const known = validators.get(key);
  if (known !== undefined) return known;
  const found = schema();
  const made = found ? compiler().compile(found) : null;
  validators.set(key, made);
  return made;
}

/** Compiles a schema once for each key. */
function compiled(key: string, schema: Schema): ValidateFunction {
  return validator(key, () => schema) as ValidateFunction;
}

function operation(route: string): Operation {
  const [method = '', path = ''] = route.split(' ');
  const found = github().paths[path]?.[method.toLowerCase()];
  if (!found) throw new Error(`GitHub has no ${route}`);
  return found;
}

/** What GitHub's description rejects in a request body; `null` if it is valid. `route` is `POST /repos/{owner}/{repo}/issues`. */
export function bodyProblem(route: string, body: unknown): string | null {
  const validate = validator(
    `${route} body`,
    () => operation(route).requestBody?.content['application/json']?.schema,
  );
  if (!validate || validate(body)) return null;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath || 'body'} ${error?.message ?? 'is not valid'}`;
}

/** Throws if the double's own response violates GitHub's description, which is a bug of the double. */
export function checkAnswer(route: string, status: number, body: unknown): void {
  const validate = validator(`${route} ${status}`, () => {
    const response = operation(route).responses[String(status)];
    if (!response) return undefined;
    const content = deref(response).content as Record<string, { schema: Schema }> | undefined;
    return content?.['application/json']?.schema;
  });
  if (!validate || validate(body)) return;
  const [error] = validate.errors ?? [];
  throw new Error(`answer of ${route} ${status}: ${error?.instancePath} ${error?.message}`);
}

/** Throws if GitHub has no such event, or if a member of its pull request is none, which is a bug of the double. */
export function checkEvent(event: string, action: string, pull: Readonly<Record<string, unknown>>): void {
  const { schemas } = github().components as { schemas: Record<string, { properties?: Schema }> };
  if (!github().events.includes(`webhook-${event.replace('_', '-')}-${action}`))
    throw new Error(`GitHub has no event ${event} ${action}`);
  for (const [member, value] of Object.entries(pull)) {
    const path = `components/schemas/pull-request/properties/${member}`;
    const known = schemas['pull-request']?.properties?.[member] !== undefined;
    const validate = known ? validator(path, () => ({ $ref: `gh#/${path}` })) : null;
    if (!validate?.(value)) throw new Error(`event ${event} ${action}: pull_request.${member} is not valid`);
  }
}

/** GitHub adds these to the addresses in `Link`, but does not describe them (docs: using pagination in the REST API). */
const CURSORS: readonly string[] = ['after', 'before'];

/** Parameters that may contain slashes at the end of a path. */
const SLASHED: readonly string[] = ['basehead', 'path', 'ref'];

interface CheckedRequest {
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
