import { EXAMPLES } from './openapi-examples.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minItems?: number;
}

/** Texts by the name of the member. The first with a fitting name and pattern is taken. */
const TEXTS: readonly (readonly [name: RegExp, text: string])[] = [
  [/(^|_)(at|since|until|from|seen|timestamp|expires)$|^date|_until$/, '2026-11-23T08:00:00.000Z'],
  [/^(run_id|into|merged_into)$/, 'run_01m84k6epdzecbdbdh7razd55m'],
  [/url$/i, 'https://shop.example/'],
  [/digest$|^hash$/, 'f65001252ab3427979ef1089436fe43cf23cde111f209bc182db6d5b2250c72c'],
  [/commit$|^sha$|checksum|chunks/, '0a561bf1e0330fa1cc892d1014224a36930d5bbd'],
  [/^(projects?|slug)$/, 'shop'],
  [/^environments?$/, 'production'],
  [/release|version|^fixed_in$/, '2.4.1'],
  [/^repository$/, 'acme/shop'],
  [/^(path|file|filename)$/, 'src/cart.js'],
  [/^(by|user|username|edited_by|made_by|created_by|assignees)$/, 'mara'],
  [/^(person|email)$/, 'kim@example.com'],
  [/^(comment|reason|note)$/, 'Seen after the deploy.'],
  [/^address$/, '?state=gate2'],
  [/^title$/, 'TypeError: price of undefined'],
  [/./, 'text'],
];

/**
 * A value of a schema: the recorded one of a schema with a name, otherwise the smallest. `undefined` if none is found by
 * trying: an example that is wrong is worse than none. `named`: the schemas with a name. `name`: of the member.
 */
export function sampleOf(
  schema: Schema,
  named: Readonly<Record<string, Schema>>,
  name = 'text',
  depth = 0,
): unknown {
  if (depth > 8) return undefined;
  const inner = (one: Schema, member = name) => sampleOf(one, named, member, depth + 1);
  const { $ref, const: only, enum: values, examples, anyOf, oneOf } = schema;
  if ($ref !== undefined) {
    const target = $ref.slice($ref.lastIndexOf('/') + 1);
    return EXAMPLES[target] ?? inner(named[target] ?? {});
  }
  const [ready] = only === undefined ? (values ?? examples ?? []) : [only];
  if (ready !== undefined) return ready;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return choices.map((one) => inner(one)).find((value) => value !== undefined);
  switch (schema.type) {
    case 'string':
      return textOf(name, schema.pattern);
    case 'number':
    case 'integer':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return listOf(inner(schema.items ?? {}), schema.minItems ?? 0);
    case 'object':
      return objectOf(schema, inner);
    default:
      return undefined;
  }
}

function textOf(name: string, pattern: string | undefined): string | undefined {
  const fits = TEXTS.filter(([, text]) => matches(text, pattern));
  return (fits.find(([names]) => names.test(name)) ?? fits[0])?.[1];
}

/** A pattern that JavaScript does not know fits no text. */
function matches(text: string, pattern: string | undefined): boolean {
  try {
    return pattern === undefined || new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}

function listOf(value: unknown, minItems: number): readonly unknown[] | undefined {
  if (value !== undefined) return Array.from({ length: Math.max(1, minItems) }, () => value);
  return minItems === 0 ? [] : undefined;
}

/** Its required members. An object without any has its first one: an empty body shows nothing. */
function objectOf(
  { properties = {}, required = [] }: Schema,
  inner: (one: Schema, member: string) => unknown,
): unknown {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  const members = names.map((name) => [name, inner(properties[name] ?? {}, name)] as const);
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members);
}
