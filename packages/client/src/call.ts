import { ApiError } from './api-error.js';
import { OPERATIONS, type Operations } from './operations.js';
import { type ClientOptions, send } from './transport.js';

/** The `operationId` of an operation. */
export type OperationId = keyof Operations;

type Part<Id extends OperationId, Name extends string> =
  Operations[Id] extends Readonly<Record<Name, infer Value>>
    ? { readonly [Key in Name]: Value }
    : Operations[Id] extends { readonly [Key in Name]?: infer Value }
      ? { readonly [Key in Name]?: Value }
      : object;

/** What an operation takes: `path`, `query` and `body` as far as it has them, and further headers. */
export type Input<Id extends OperationId> = Part<Id, 'path'> &
  Part<Id, 'query'> &
  Part<Id, 'body'> & { readonly headers?: Readonly<Record<string, string>> };

/** What an operation answers: with one status, or with any success. */
export type Answer<
  Id extends OperationId,
  Status extends keyof Operations[Id]['answers'] = keyof Operations[Id]['answers'],
> = Operations[Id]['answers'][Status];

/** Calls one operation of core's API. Rejects with {@link ApiError}. */
export type Call = <Id extends OperationId>(id: Id, input: Input<Id>) => Promise<Answer<Id>>;

export function caller(options: ClientOptions): Call {
  return async (id, input) => {
    const { path = {}, query = {}, body, headers } = input as AnyInput;
    const [method = '', pattern = ''] = OPERATIONS[id].split(' ');
    const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, path[name]));
    const request = {
      method,
      path: `${filled}${search(query)}`,
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers }),
    };
    return (await send(request, options)) as never;
  };
}

interface AnyInput {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
/** One part of a path. `.` and `..` would lead to another route, since a URL resolves them. */
function segment(name: string, value: string | number | undefined): string {
  const text = String(value ?? '');
  const problem = ['', '.', '..'].includes(text)
    ? 'must not be empty, "." or ".."'
    : /\p{Surrogate}/u.test(text)
      ? 'must not contain unpaired surrogates'
      : null;
  if (problem !== null) throw new ApiError(0, 'malformed', `"${name}" ${problem}.`, { path: name });
  return encodeURIComponent(text);
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

function search(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  return params.size === 0 ? '' : `?${params}`;
}
