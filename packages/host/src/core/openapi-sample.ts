interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minItems?: number;
}

const TEXTS = [
  'text',
  '2026-11-23T08:00:00.000Z',
  'https://shop.example/',
  '0'.repeat(40),
  '?state=gate2',
  '1.0',
];

/**
 * The smallest value of a schema, for routes whose answers were not recorded. `undefined` if none is found by trying: an
 * example that is wrong is worse than none.
 */
export function sampleOf(schema: Schema, named: Readonly<Record<string, Schema>>, depth = 0): unknown {
  if (depth > 8) return undefined;
  const inner = (one: Schema) => sampleOf(one, named, depth + 1);
  const { $ref, const: only, enum: values, examples, anyOf, oneOf } = schema;
  if ($ref !== undefined) {
    const target = named[$ref.slice($ref.lastIndexOf('/') + 1)];
    return target === undefined ? undefined : inner(target);
  }
  const [ready] = only === undefined ? (values ?? examples ?? []) : [only];
  if (ready !== undefined) return ready;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return choices.map(inner).find((value) => value !== undefined);
  switch (schema.type) {
    case 'string':
      return TEXTS.find((text) => matches(text, schema.pattern));
    case 'number':
    case 'integer':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return (schema.minItems ?? 0) === 0 && schema.items?.$ref !== undefined
        ? []
        : listOf(inner(schema.items ?? {}));
    case 'object':
      return objectOf(schema, inner);
    default:
      return undefined;
  }
}

/** A pattern that JavaScript does not know fits no text. */
function matches(text: string, pattern: string | undefined): boolean {
  try {
    return pattern === undefined || new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return value === undefined ? undefined : [value];
}

function objectOf({ properties = {}, required = [] }: Schema, inner: (one: Schema) => unknown): unknown {
  const members = required.map((name) => [name, inner(properties[name] ?? {})] as const);
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members);
}
