// The types and paths of @culprit/client, generated from core's OpenAPI document.
import { openApiOf } from './pages-host.mjs';

export const CLIENT_OPERATIONS = 'packages/client/src/operations.ts';
const METHODS = ['get', 'post', 'put', 'delete'];

/** The text of {@link CLIENT_OPERATIONS}. */
export function clientOperations(modules) {
  const { paths, components } = openApiOf(modules);
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([path, item]) =>
      METHODS.filter((method) => isForPrograms(item[method])).map((method) => ({
        path,
        method: method.toUpperCase(),
        ...item[method],
      })),
    )
    .sort((a, b) => (a.operationId < b.operationId ? -1 : 1));
  const used = reached(operations, components.schemas);
  const types = Object.keys(components.schemas)
    .filter((name) => used.has(name))
    .map((name) => declaration(name, components.schemas[name]));
  const members = operations.map(
    (one) => `${comment(one.summary, '  ')}  readonly ${one.operationId}: ${typeOfOperation(one)};`,
  );
  const table = operations.map(({ operationId, method, path }) => `  ${operationId}: '${method} ${path}',`);
  return `// Over 300 lines: generated from core's routes by \`npm run reference\`. Change the routes, not this file.

${types.join('\n')}
/** What each operation of core's API takes and answers, by its \`operationId\`. */
export interface Operations {
${members.join('\n')}
}

/** Method and path of each operation. */
export const OPERATIONS = {
${table.join('\n')}
} as const satisfies Readonly<Record<keyof Operations, string>>;
`;
}

/** What clients call before they have a credential. */
const OPEN = ['signIn', 'makeSignInLink', 'getSignInOptions'];

/** Reviewers and tokens may call it, and its answer is a document. */
function isForPrograms(operation) {
  if (operation === undefined || operation.responses[101] !== undefined) return false;
  return (
    OPEN.includes(operation.operationId) ||
    operation.security?.some((scheme) => 'reviewer' in scheme) === true
  );
}

/** Names of the schemas that the operations need. */
function reached(operations, schemas) {
  const found = new Set(['Problem', 'RunSummary', 'LiveMessage', ...referencesIn(operations)]);
  for (const name of found) for (const next of referencesIn(schemas[name])) found.add(next);
  return found;
}

function referencesIn(value) {
  return [...JSON.stringify(value).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
}

function declaration(name, schema) {
  const about = comment(schema.description ?? name, '');
  if (name === 'JsonValue') {
    return `${about}export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;\n`;
  }
  if (name === 'JsonObject') {
    return `${about}export interface JsonObject {\n  readonly [name: string]: JsonValue | undefined;\n}\n`;
  }
  if (schema.type === 'object' && schema.properties !== undefined) {
    return `${about}export interface ${name} ${typeOf(schema, '')}\n`;
  }
  return `${about}export type ${name} = ${typeOf(schema, '')};\n`;
}

function typeOfOperation({ parameters, requestBody, responses }) {
  const group = (place) => {
    const all = parameters.filter((one) => one.in === place);
    if (all.length === 0) return [];
    const optional = all.every(({ required }) => !required) ? '?' : '';
    const members = all.map(
      ({ name, required, schema, description = '' }) =>
        `${comment(description, '      ')}      readonly ${name}${required ? '' : '?'}: ${typeOf(schema, '      ')}${required ? '' : ' | undefined'};`,
    );
    return [`    readonly ${place}${optional}: {\n${members.join('\n')}\n    };`];
  };
  const body = requestBody?.content['application/json']?.schema;
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, response]) => `      readonly ${status}: ${answerType(response)};`);
  return `{
${[
  ...group('path'),
  ...group('query'),
  ...(body === undefined
    ? []
    : [`    readonly body${requestBody.required ? '' : '?'}: ${typeOf(body, '    ')};`]),
  `    readonly answers: {\n${answers.join('\n')}\n    };`,
].join('\n')}
  }`;
}

function answerType({ content }) {
  if (content === undefined) return 'undefined';
  const schema = content['application/json']?.schema;
  return schema === undefined ? 'string' : typeOf(schema, '      ');
}

/** The TypeScript type of a JSON Schema, indented. */
function typeOf(schema, indent) {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map((one) => typeOf(one, indent)))].join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map((one) => typeOf(one, indent)).join(' & ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'array':
      return schema.prefixItems === undefined
        ? `readonly ${inArray(schema.items ?? {}, indent)}[]`
        : `readonly [${schema.prefixItems.map((one) => typeOf(one, indent)).join(', ')}]`;
    case 'object':
      return objectType(schema, indent);
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

function objectType({ properties = {}, required = [], additionalProperties }, indent) {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?';
    return `${comment(schema.description ?? '', inner)}${inner}readonly ${name}${optional}: ${typeOf(schema, inner)}${optional === '' ? '' : ' | undefined'};`;
  });
  const open = typeof additionalProperties === 'object';
  if (members.length === 0 && !open)
    return additionalProperties === false ? 'Record<string, never>' : 'object';
  if (open) members.push(`${inner}readonly [name: string]: ${typeOf(additionalProperties, inner)};`);
  return `{\n${members.join('\n')}\n${indent}}`;
}

function inArray(schema, indent) {
  const { anyOf = [], oneOf = [], allOf = [], enum: values = [], type } = schema;
  const isOne =
    [...anyOf, ...oneOf, ...allOf, ...values].length < 2 && !Array.isArray(type) && type !== 'array';
  return isOne ? typeOf(schema, indent) : `(${typeOf(schema, indent)})`;
}

function literal(value) {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}

function comment(text, indent) {
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}
