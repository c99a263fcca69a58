import type { Matched } from '../shared/description.js';
import { entriesOf, nextPage, pageIn } from '../shared/http.js';
import type { Answer } from '../shared/server.js';
import type { DoubleRepository, DoubleToken, LiveOptions } from './options.js';
import type { State } from './state.js';

export type { Answer } from '../shared/server.js';

/** A request of a described route. */
export interface RestRequest extends Matched {
  readonly method: string;
  readonly url: URL;
  readonly body: Readonly<Record<string, unknown>>;
  readonly token: DoubleToken;
  /** Base address of the double. */
  readonly base: string;
}

/** One about a project that the token sees. */
export interface ProjectRequest extends RestRequest {
  readonly options: LiveOptions;
  readonly state: State;
  /** Path with all groups. */
  readonly project: string;
  readonly repository: DoubleRepository;
  readonly query: URLSearchParams;
}
export type Handle = (request: ProjectRequest) => Answer | Promise<Answer>;

export function refuse(status: number, message: unknown): Answer {
  return { status, body: { message } };
}

export function ok(body: unknown, headers: Answer['headers'] = {}): Answer {
  return { status: 200, body, headers };
}

/** `404 Commit Not Found` */
export function notFound(what: string): Answer {
  return refuse(404, what === '' ? '404 Not found' : `404 ${what} Not Found`);
}

export const FORBIDDEN: Answer = refuse(403, '403 Forbidden');

/** A page of a list, by number, with `Link` and the other headers. */
export function paged(
  items: readonly unknown[],
  { query, url }: Pick<ProjectRequest, 'query' | 'url'>,
): Answer {
  const asked = pageIn(query, 'per_page', 20);
  const next = nextPage(items, asked, url);
  return ok(entriesOf(items, asked), {
    ...next,
    'x-page': String(asked.page),
    'x-per-page': String(asked.size),
    'x-next-page': next.link === undefined ? '' : String(asked.page + 1),
  });
}

const LEVELS = { guest: 10, reporter: 20, developer: 30 } as const;

export function levelOf({ role = 'developer' }: DoubleToken): number {
  return LEVELS[role];
}

/** GitLab writes dates with milliseconds and an offset. */
export function dateOf(date: string | number): string {
  return new Date(date).toISOString().replace(/Z$/, '+00:00');
}

/** The number of a user: its place among the users of the tokens and the others. 0: there is none. */
export function accountOf(options: LiveOptions, name: string): number {
  return namesOf(options).findIndex((one) => one.toLowerCase() === name.toLowerCase()) + 1;
}

export function namesOf({ tokens, users = [] }: LiveOptions): readonly string[] {
  return [...new Set([...Object.values(tokens).map(({ user }) => user), ...users])];
}

export function userShape(options: LiveOptions, username: string, base: string) {
  const id = accountOf(options, username);
  return { id, username, name: username, state: 'active', web_url: `${base}/${username}` };
}
