import { parse } from 'yaml';

/** @typedef {{ method: string, path: string, query: object, body: object | null, required: readonly string[], answer?: object }} Operation */

/** A system's description of its API: Swagger 2 or OpenAPI 3, as JSON (also with `{{…}}` of a template) or YAML. */
export function openDescription(text) {
  const api = parse(text.replace(/"[^"\n]*\{\{.*?\}\}[^"\n]*"/g, '"x"'));
  const resolved = (part) => {
    const at = part?.$ref;
    if (at === undefined) return part ?? {};
    return resolved(
      at
        .slice(2)
        .split('/')
        .reduce((inner, name) => inner?.[name], api),
    );
  };
  return { differences: (operation) => differences(api, resolved, operation) };
}

/** Where an operation differs from the description. @param {Operation} operation */
function differences(api, resolved, { method, path, query, body, required, answer }) {
  const nameless = (one) => one.replace(/\{[^}]+\}/g, '{}');
  const key = Object.keys(api.paths).find((one) => nameless(one) === nameless(path));
  const theirs = api.paths[key]?.[method.toLowerCase()];
  if (theirs === undefined) return ['is not described'];
  const parameters = (theirs.parameters ?? []).map(resolved);
  const named = (place) =>
    new Map(parameters.filter((one) => one.in === place).map((one) => [one.name.replace(/\[\]$/, ''), one]));
  const content = (part) => Object.values(part?.content ?? {})[0]?.schema ?? part?.schema;
  const sent = resolved(content(theirs.requestBody) ?? parameters.find((one) => one.in === 'body')?.schema);
  const members = { ...Object.fromEntries(named('formData')), ...sent.properties };
  const given = [
    ...Object.entries(query).map(([name, kind]) => [name, kind, named('query').get(name)]),
    ...Object.entries(body ?? {}).map(([name, kind]) => [name, kind, members[name]]),
  ];
  const demanded = [
    ...[...named('query').values()]
      .filter((one) => one.required && !one.name.includes('['))
      .map((one) => one.name),
    ...(sent.required ?? []),
  ];
  const [, success] = Object.entries(theirs.responses).find(([status]) => status.startsWith('2')) ?? [];
  const shape = content(resolved(success));
  return [
    ...given.flatMap(([name, kind, described]) => {
      if (described === undefined) return [`${name} is not described`];
      const wrong = mismatch(kind, resolved(described.schema ?? described));
      return wrong === null ? [] : [`${name} is ${wrong}, and not ${JSON.stringify(kind)}`];
    }),
    ...demanded.filter((name) => !required.includes(name)).map((name) => `${name} is required`),
    ...(shape === undefined || answer === undefined ? [] : unknownMembers(answer, shape, resolved)),
  ];
}

/** What the description says instead; `null` if it agrees. Values that we do not use may be missing here. */
function mismatch(kind, { type, format, items, enum: values }) {
  if (Array.isArray(kind)) {
    if (values === undefined) return type === 'string' ? null : String(type);
    const extra = kind.filter((value) => !values.includes(value));
    return extra.length === 0 ? null : `one of ${values.join(', ')}`;
  }
  const element = items?.type === undefined ? '' : ` of ${items.type}`;
  const said = type === 'array' ? `array${element}` : `${type}${format === 'date-time' ? ' (date)' : ''}`;
  const fits = {
    string: ['string', 'string (date)'],
    integer: ['integer'],
    boolean: ['boolean'],
    datetime: ['string (date)'],
    strings: ['array of string', 'array'],
    integers: ['array of integer', 'array'],
  }[typeof kind === 'number' ? 'integer' : kind];
  return fits?.includes(said) ? null : said;
}

/** The members that a connector reads, by its Valibot schema, and the described response does not have. */
function unknownMembers(schema, described, resolved, path = '') {
  const inner = schema.wrapped ?? schema.item;
  const theirs = resolved(described);
  if (inner !== undefined) return unknownMembers(inner, theirs.items ?? theirs, resolved, path);
  const shape = resolved(theirs.items ?? theirs);
  if (schema.entries === undefined || shape.properties === undefined) return [];
  return Object.entries(schema.entries).flatMap(([name, member]) => {
    const property = shape.properties[name];
    if (property === undefined) return [`the response has no ${path}${name}`];
    return unknownMembers(member, property, resolved, `${path}${name}.`);
  });
}
