import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import type { HttpRequest } from '../http/message.js';

/** Parses and validates a JSON body. @throws `malformed` with the member's path. */
export function readBody<Schema extends v.GenericSchema>(
  request: Pick<HttpRequest, 'body'>,
  schema: Schema,
): v.InferOutput<Schema> {
  const value = parseObject(request.body);
  if (value === undefined) throw new CulpritError('malformed', 'The request needs a JSON body.');
  return check(schema, value);
}

/** Like {@link readBody}, but an empty body counts as `{}`. */
export function readOptionalBody<Schema extends v.GenericSchema>(
  request: Pick<HttpRequest, 'body'>,
  schema: Schema,
): v.InferOutput<Schema> {
  const value = parseObject(request.body);
  return check(schema, value === undefined ? {} : value);
}

export function check<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0];
  const path = pathOf(issue);
  throw new CulpritError(
    'malformed',
    `${path === '' ? 'The body' : `"${path}"`} ${wrong(issue)}${choicesAt(schema, issue)}.`,
    {
      ...(path === '' ? {} : { path }),
    },
  );
}

/** Valibot's object schemas accept arrays. */
function parseObject(body: Uint8Array): unknown {
  const value = parse(body);
  if (Array.isArray(value)) throw new CulpritError('malformed', 'The body must be an object, not an array.');
  return value;
}

/** `undefined` without a body. */
function parse(body: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new CulpritError('malformed', 'The body is not UTF-8.');
  }
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CulpritError('malformed', 'The body is not JSON.');
  }
}

function wrong(issue: v.BaseIssue<unknown>): string {
  if (issue.expected === 'never') return 'is not allowed';
  if (issue.received === 'undefined') return 'is missing';
  if (issue.kind === 'validation') return issue.message;
  if (issue.type === 'union' && issue.issues !== undefined) return wrongInAll(issue.issues);
  return `must be ${issue.expected ?? 'valid'}, not ${issue.received.slice(0, 60)}`;
}

interface Described {
  readonly type?: string;
  readonly entries?: Readonly<Record<string, Described>>;
  readonly item?: Described;
  readonly options?: readonly unknown[];
}

/** What a missing member of a few values may be. Valibot reports its absence without them. */
function choicesAt(schema: Described, { received, path }: v.BaseIssue<unknown>): string {
  if (received !== 'undefined') return '';
  let at: Described | undefined = schema;
  for (const { key, type } of path ?? []) at = type === 'array' ? at?.item : at?.entries?.[String(key)];
  return at?.type === 'picklist'
    ? `: one of ${at.options?.map((one) => JSON.stringify(one)).join(', ')}`
    : '';
}

/** A value of several forms: what is wrong with it as each of them. */
function wrongInAll(issues: readonly v.BaseIssue<unknown>[]): string {
  const paths = issues.map(pathOf);
  const all = issues.map((issue, at) => (paths[at] === '' ? wrong(issue) : `"${paths[at]}" ${wrong(issue)}`));
  return `${paths.includes('') ? '' : 'is not valid: '}${[...new Set(all)].join(', or ')}`;
}

function pathOf(issue: v.BaseIssue<unknown>): string {
  let path = '';
  for (const { key, type } of issue.path ?? []) {
    if (type === 'array') path += `[${String(key)}]`;
    else path += `${path === '' ? '' : '.'}${String(key)}`;
  }
  return path.slice(0, 200);
}
