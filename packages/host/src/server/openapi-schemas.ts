import { crashObjectSchema } from '@culprit/core/internal/pipeline/crash-object/json-schema';
import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import * as v from 'valibot';

/** The schemas with a name, in `components.schemas` and the types of `@culprit/client`: those with a title that were asked for so far. */
const named = new Map<string, v.GenericSchema>();

/** Finds the schemas with a name in a schema, however deep. */
function learn(schema: unknown): void {
  if (Array.isArray(schema)) for (const one of schema) learn(one);
  if (!isSchema(schema)) return;
  const name = v.getTitle(schema);
  if (name !== undefined) {
    if (named.has(name)) return;
    named.set(name, schema);
  }
  const { entries = {}, ...parts } = schema as Parts;
  for (const part of [parts.wrapped, parts.item, parts.key, parts.value, parts.options]) learn(part);
  learn(Object.values(entries));
}

interface Parts {
  readonly entries?: object;
  readonly wrapped?: unknown;
  readonly item?: unknown;
  readonly key?: unknown;
  readonly value?: unknown;
  readonly options?: unknown;
}

function isSchema(value: unknown): value is v.GenericSchema {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema';
}

const CONVERSION = {
  target: 'draft-2020-12',
  errorMode: 'ignore',
  overrideRef: ({ referenceId }: { readonly referenceId: string }) => `#/components/schemas/${referenceId}`,
} as const;

let made: Readonly<Record<string, object>> = {};
let madeOf = 0;

/** `components.schemas`. */
export function namedSchemas(): Readonly<Record<string, object>> {
  if (named.size !== madeOf) {
    const all = toJsonSchemaDefs(Object.fromEntries(named), { ...CONVERSION, typeMode: 'output' });
    const shown = Object.entries(all).map(([name, { title: _, ...schema }]) => [name, schema]);
    made = { ...Object.fromEntries(shown), CrashObject: crashObjectSchema };
    madeOf = named.size;
  }
  return made;
}

/** The JSON Schema of a body (`input`) or an answer (`output`); a reference if it has a name. */
export function schemaOf(schema: v.GenericSchema, typeMode: 'input' | 'output'): object {
  learn(schema);
  const name = v.getTitle(schema);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    ...CONVERSION,
    typeMode,
    definitions: Object.fromEntries(named),
  });
  delete (rest as { $defs?: unknown }).$defs;
  return rest;
}
