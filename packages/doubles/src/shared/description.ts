/** What a description says of a value. */
export type Rule =
  | 'string'
  | 'integer'
  | 'boolean'
  /** As RFC 3339 has it. */
  | 'datetime'
  | 'strings'
  | 'integers'
  | readonly string[]
  /** An integer from 1 up to this. */
  | number;

/** An operation of an API, as far as Culprit uses it. */
export interface Operation {
  readonly query?: Readonly<Record<string, Rule>>;
  /** Absent: it has none. */
  readonly body?: Readonly<Record<string, Rule>>;
  /** Parameters or members that must be given. */
  readonly required?: readonly string[];
}

export interface Matched<Described extends Operation = Operation> {
  /** As in the description. */
  readonly route: string;
  readonly operation: Described;
  /** Values of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** The operation of a request, by its method and path, such as `GET /users/{id}`; slashes in values are encoded, so segments are compared. */
export function operationOf<Described extends Operation>(
  operations: Readonly<Record<string, Described>>,
  method: string,
  path: string,
): Matched<Described> | null {
  const segments = path.split('/');
  for (const [route, operation] of Object.entries(operations)) {
    const [verb, template = ''] = route.split(' ');
    const parts = template.split('/');
    if (verb !== method || parts.length !== segments.length) continue;
    const isValue = (part: string) => part.startsWith('{');
    if (parts.some((part, at) => (isValue(part) ? segments[at] === '' : part !== segments[at]))) continue;
    const values = parts.flatMap((part, at) =>
      isValue(part) ? [[part.slice(1, -1), decodeURIComponent(segments[at] ?? '')] as const] : [],
    );
    return { route, operation, params: Object.fromEntries(values) };
  }
  return null;
}

/** What in a request violates the description. Hosts ignore most of it, or misread it, without an error. */
export function problemsOf(
  name: string,
  { query: parameters = {}, body: members = {}, required = [] }: Operation,
  query: URLSearchParams,
  body: unknown,
): readonly string[] {
  const given = [...new Set(query.keys())].map((key): [string, unknown] =>
    key.endsWith('[]') ? [key.slice(0, -2), query.getAll(key)] : [key, query.get(key)],
  );
  const sent = Object.entries(Object(body) as object);
  const names = new Set([...given, ...sent].map(([key]) => key));
  return [
    ...given.flatMap(([key, value]) => wrong(key, parameters[key], textual(parameters[key], value))),
    ...sent.flatMap(([key, value]) => wrong(key, members[key], value)),
    ...required.filter((key) => !names.has(key)).map((key) => `${key} is missing`),
  ].map((problem) => `${name}: ${problem}`);
}

function wrong(name: string, rule: Rule | undefined, value: unknown): readonly string[] {
  if (rule === undefined) return [`${name} is no parameter`];
  return allows(rule, value) ? [] : [`${name} must not be ${JSON.stringify(value)}`];
}

/** The value that a text in a query stands for. */
function textual(rule: Rule | undefined, value: unknown): unknown {
  const text = String(value);
  if (typeof rule === 'number' || rule === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : value;
  return rule === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : value;
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function allows(rule: Rule, value: unknown): boolean {
  if (typeof rule === 'number') return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= rule;
  if (typeof rule !== 'string') return rule.includes(String(value));
  switch (rule) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'datetime':
      return typeof value === 'string' && DATE_TIME.test(value);
    case 'strings':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'integers':
      return Array.isArray(value) && value.every(Number.isSafeInteger);
    default:
      return typeof value === rule;
  }
}
