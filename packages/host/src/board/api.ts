import type {
  Draft,
  DraftDifference,
  DraftEdit,
  HistoryEntry,
  PlacedStack,
  Problem,
  Run,
  RunState,
  RunSummary,
} from '@culprit/core';

/** What core refused, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

export interface Who {
  readonly name: string;
  /** ISO 8601. */
  readonly expires_at: string | null;
  readonly rules: { readonly second_person: boolean; readonly bound_approval: boolean };
}
export interface DeadLetter {
  readonly sequence: number;
  readonly at: string;
  readonly event_id: string;
  readonly project: string;
  readonly door: string;
  readonly detail: string;
}
export interface EdgeCommand {
  readonly id: string;
  readonly action: { readonly kind: 'resend' | 'drop' | 'limits' };
  readonly by: string;
  readonly at: string;
  readonly status: 'queued' | 'done' | 'failed' | 'expired';
  readonly detail: string | null;
}
export interface EdgeEntry {
  readonly edge: string;
  /** Newest last. */
  readonly dead_letters: readonly DeadLetter[];
  /** Newest first. */
  readonly commands: readonly EdgeCommand[];
}
/** Crashes in each of the last 24 hours, oldest first, when the run had been counted `total` times. */
export interface Curve {
  readonly total: number;
  readonly hours: readonly number[];
}
export interface Page {
  readonly runs: readonly RunSummary[];
  readonly next: string | null;
}

async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError(0, 'unreachable', 'Core cannot be reached. Nothing is known to have been decided.');
  }
  if (response.status === 204) return undefined as T;
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as T;
  throw problemOf(response.status, text);
}

function problemOf(status: number, text: string): ApiError {
  try {
    const { code, title, detail } = JSON.parse(text) as Problem;
    return new ApiError(status, code, detail === '' ? title : `${title}. ${detail}`);
  } catch {
    return new ApiError(status, 'unreadable', `Core answered ${status} without an explanation.`);
  }
}

/** `null` for what is not there. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

const at = (id: string) => `/api/v1/runs/${encodeURIComponent(id)}`;
const binding = (digest: string) => ({ 'if-match': `"${digest}"` });

export const api = {
  signIn: (token: string) => call<{ name: string }>('POST', '/api/v1/session', { token }),
  signOut: () => call<void>('DELETE', '/api/v1/session'),
  /** Rejects with 401 where nobody is signed in. */
  who: () => call<Who>('GET', '/api/v1/session'),
  page(states: readonly RunState[], query: string, project: string, cursor: string | null) {
    const search = new URLSearchParams({ state: states.join(','), limit: '100' });
    if (query !== '') search.set('query', query);
    if (project !== '') search.set('project', project);
    if (cursor !== null) search.set('cursor', cursor);
    return call<Page>('GET', `/api/v1/runs?${search}`);
  },
  activity: (ids: readonly string[]) =>
    call<{ runs: Record<string, Curve> }>('GET', `/api/v1/activity?runs=${ids.join(',')}`),
  edges: () => call<{ edges: EdgeEntry[] }>('GET', '/api/v1/edges'),
  /** The edge finds it when it asks next, usually within five seconds. */
  tellEdge: (edge: string, kind: 'resend' | 'drop', sequences: readonly number[] | 'all') =>
    call<EdgeCommand>('POST', `/api/v1/edges/${encodeURIComponent(edge)}/commands`, { kind, sequences }),
  run: (id: string) => call<Run>('GET', at(id)),
  history: (id: string) => call<{ entries: HistoryEntry[] }>('GET', `${at(id)}/history`),
  stack: (id: string) => orNull(call<PlacedStack>('GET', `${at(id)}/stack`)),
  preview: (id: string) => call<{ title: string; body: string }>('GET', `${at(id)}/draft/preview`),
  difference: (id: string) => call<DraftDifference>('GET', `${at(id)}/draft/difference`),
  /** `ifMatch`: the digest of the draft that was edited. */
  saveDraft: (id: string, edit: DraftEdit, ifMatch: string) =>
    call<Draft>('PUT', `${at(id)}/draft`, edit, binding(ifMatch)),
  approveGateOne: (id: string) => call<unknown>('POST', `${at(id)}/gate1/approve`),
  rejectGateOne: (id: string, reason: string) => call<unknown>('POST', `${at(id)}/gate1/reject`, { reason }),
  /** Bound to the digest that was on the screen. */
  approveGateTwo: (id: string, digest: string) =>
    call<{ status: string }>('POST', `${at(id)}/gate2/approve`, undefined, binding(digest)),
  rejectGateTwo: (id: string, reason: string, to: 'staged_raw' | 'rejected') =>
    call<unknown>('POST', `${at(id)}/gate2/reject`, { reason, to }),
};
