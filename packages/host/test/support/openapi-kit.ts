import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
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
