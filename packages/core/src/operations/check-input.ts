import * as v from 'valibot';
import { CulpritError } from '../errors/error.js';

/** The value as the schema has it. `whole` names the value in the error. @throws `malformed` with the member's path */
export function checkInput<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  whole: string,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0];
  const path = pathOf(issue);
  const what = `${wrong(issue)}${choicesAt(schema, issue)}`;
  throw new CulpritError('malformed', `${path === '' ? whole : `"${path}"`} ${what}.`, {
    ...(path === '' ? {} : { path }),
  });
}

/** `malformed`: what is wrong with the member. */
export function malformed(path: string, what: string): CulpritError {
  return new CulpritError('malformed', `"${path}" ${what}.`, { path });
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
