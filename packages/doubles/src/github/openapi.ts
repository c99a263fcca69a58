import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';

export type Schema = Record<string, unknown>;
export interface Operation {
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
export function github(): Description {
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

export function deref(schema: Schema): Schema {
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
export function compiled(key: string, schema: Schema): ValidateFunction {
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
