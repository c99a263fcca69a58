import type { JsonObject, JsonValue } from '../../domain/json.js';
import { ANYTHING, CRASH, KIND, type ValueShape } from './crash-shape.js';

const TYPES: readonly (readonly [number, string])[] = [
  [KIND.text, 'string'],
  [KIND.number, 'number'],
  [KIND.whole, 'integer'],
  [KIND.flag, 'boolean'],
  [KIND.object, 'object'],
  [KIND.list, 'array'],
  [KIND.nothing, 'null'],
];

/** JSON Schema 2020-12 of the crash object that the native and webhook doors accept. */
export const crashObjectSchema: JsonObject = schemaOf(CRASH);

function schemaOf(shape: ValueShape): JsonObject {
  const { also, ...common } = shape;
  if (also !== undefined) return { anyOf: [common, ...also].map(schemaOf) };
  const { kinds, members, others, items, minItems, pattern } = common;
  if (shape === ANYTHING) return {};
  const types = TYPES.filter(([kind]) => (kinds & kind) !== 0).map(([, type]) => type);
  return {
    type: types.length === 1 ? (types[0] as JsonValue) : types,
    ...(members && {
      properties: Object.fromEntries(Object.entries(members).map(([name, of]) => [name, schemaOf(of)])),
    }),
    ...(others && { additionalProperties: schemaOf(others) }),
    ...(items && { items: schemaOf(items) }),
    ...(minItems !== undefined && { minItems }),
    ...(pattern && { pattern: pattern.expression.source }),
  };
}
