import { ApiError } from './api-error.js';
import { OPERATIONS, type Operations, type Run } from './operations.js';
import { type ClientOptions, type Request, send } from './transport.js';

/** The `operationId` of an operation. */
export type OperationId = keyof Operations;

/**
 * What an operation takes: the members of its path, its query and its body in one object. `if_match`: the digest of a draft, without
 * quotes, or `*`. `prefer: 'respond-async'`: answer with the run, without waiting.
 */
export type Input<Id extends OperationId> = Operations[Id]['input'];

/** What an operation answers: with one status, or with any success. */
export type Answer<
  Id extends OperationId,
  Status extends keyof Operations[Id]['answers'] = keyof Operations[Id]['answers'],
> = Operations[Id]['answers'][Status];

type Method<Id extends OperationId> = 'prefer' extends keyof Input<Id>
  ? {
      (input: Omit<Input<Id>, 'prefer'>): Promise<Exclude<Answer<Id>, Run>>;
      (input: Input<Id> & { readonly prefer: 'respond-async' }): Promise<Extract<Answer<Id>, Run>>;
    }
  : object extends Input<Id>
    ? (input?: Input<Id>) => Promise<Answer<Id>>
    : (input: Input<Id>) => Promise<Answer<Id>>;

/** One method for each operation, under its `operationId`. Methods reject with {@link ApiError}; none of them needs `this`. */
export type Methods = { readonly [Id in OperationId]: Method<Id> };

export function methodsOf(options: ClientOptions): Methods {
  const calls = Object.entries(OPERATIONS).map(([id, route]) => {
    return [id, async (input: Members = {}) => send(requestOf(route, input), options)];
  });
  return Object.fromEntries(calls);
}

type Members = Readonly<Record<string, unknown>>;

/** Members that are no headers and not in the path are the query of a request without a body, and the body of any other. */
function requestOf(route: string, { if_match, prefer, ...members }: Members): Request {
  const [method = '', pattern = ''] = route.split(' ');
  const rest = { ...members };
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name];
    return segment(name, members[name]);
  });
  const hasBody = method === 'POST' || method === 'PUT';
  return {
    method,
    path: hasBody ? path : `${path}${search(rest)}`,
    ...(hasBody && Object.keys(rest).length > 0 ? { body: rest } : {}),
    headers: {
      ...(if_match === undefined ? {} : { 'if-match': if_match === '*' ? '*' : `"${if_match}"` }),
      ...(prefer === undefined ? {} : { prefer: String(prefer) }),
    },
  };
}

/** One part of a path. `.` and `..` would lead to another route, since a URL resolves them. */
function segment(name: string, value: unknown): string {
  const text = String(value ?? '');
  const problem = ['', '.', '..'].includes(text)
    ? 'must not be empty, "." or ".."'
    : /\p{Surrogate}/u.test(text)
      ? 'must not contain unpaired surrogates'
      : null;
  if (problem !== null) throw new ApiError(0, 'malformed', `"${name}" ${problem}.`, { path: name });
  return encodeURIComponent(text);
}

function search(query: Members): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  return params.size === 0 ? '' : `?${params}`;
}
