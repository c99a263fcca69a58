import type {
  Draft,
  DraftDifference,
  DraftEdit,
  Event,
  EvidenceBundle,
  FailedNotification,
  FixedIn,
  GateOneResult,
  GateTwoResult,
  HistoryEntry,
  IssueEffect,
  IssuePreview,
  MergeResult,
  OccurrenceEntry,
  OccurrencePage,
  PlacedStack,
  Problem,
  PublicationProof,
  RejectResult,
  Run,
  RunPage,
  RunStatistics,
  RunStory,
  SnoozeUntil,
  ValueCount,
} from '@culprit/core';
import type { RunActivity } from '../core/schema/activity.js';
import type { Digest } from '../core/schema/digest.js';
import type { EdgeCommand, EdgeEntry, EdgeHistoryEntry } from '../core/schema/edges.js';
import type { QuotaEntry } from '../core/schema/quotas.js';
import type { SessionInfo } from '../core/schema/session.js';
import type { ListedSession } from '../core/schema/sessions.js';
import type { MadeToken, NewToken, TokenEntry } from '../core/schema/tokens.js';
import { ApiError } from './api-error.js';
import { request } from './request.js';
import { webhookCalls } from './webhook-calls.js';

export interface RunsQuery {
  /** One or more states, separated by commas. */
  readonly state?: string;
  readonly project?: string;
  /** A search, such as `level:fatal env:prod "exact words"`. */
  readonly q?: string;
  readonly order?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

type OccurrencesPage = Omit<OccurrencePage, 'next'> & { readonly next: string | null };
interface StoredOccurrence {
  readonly occurrence: OccurrenceEntry;
  readonly event: Event;
}
/** A saved view of the inbox: the query string of the board's address, by name. */
export interface SavedView {
  readonly name: string;
  readonly address: string;
}
interface Views {
  readonly views: readonly SavedView[];
}

const runPath = (id: string, rest = '') => `/api/v1/runs/${encodeURIComponent(id)}${rest}`;
const ifMatch = (digest: string) => ({ 'if-match': `"${digest}"` });
const ASYNC = { prefer: 'respond-async' } as const;

export interface CoreApiOptions {
  /** Core's URL without a trailing slash, such as `https://culprit.example` or `https://shop.example/culprit`. */
  readonly url: string;
  /** A reviewer's token. Without one, browsers send the board's session cookie. */
  readonly token?: string | null;
  readonly fetch?: typeof globalThis.fetch;
  /** Default: 180,000, because a gate may use the whole time budget of an analysis. */
  readonly timeoutMs?: number;
}

/** A client of core's HTTP API for browsers and Node. Methods reject with {@link ApiError}. */
export type CoreApi = ReturnType<typeof createCoreApi>;

export function createCoreApi(options: CoreApiOptions) {
  const { url } = options;
  const send = sender(options);
  const call = async <T>(...sent: Parameters<typeof send>): Promise<T> => {
    const response = await send(...sent);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
  const get = <T>(path: string) => call<T>('GET', path);

  return {
    url,
    signIn: (token: string) => call<{ name: string }>('POST', '/api/v1/session', { token }),
    signOut: () => call<void>('DELETE', '/api/v1/session'),
    session: () => get<SessionInfo>('/api/v1/session'),
    ...sessionCalls(call),

    runs: (query: RunsQuery) => get<RunPage>(`/api/v1/runs${search({ ...query })}`),
    ...searchCalls(call),
    run: (id: string) => get<Run>(runPath(id)),
    history: async (id: string) =>
      (await get<{ entries: readonly HistoryEntry[] }>(runPath(id, '/history'))).entries,
    /** `null` if the run has no located stack. */
    stack: (id: string) => get<PlacedStack>(runPath(id, '/stack')).catch(nullIfNotFound),
    /** The fix brief, as Markdown. */
    brief: async (id: string) => (await send('GET', runPath(id, '/brief'))).text(),
    occurrences: (id: string, query: { readonly cursor?: string; readonly limit?: number } = {}) =>
      get<OccurrencesPage>(runPath(id, `/occurrences${search(query)}`)),
    /** Rejects with 404 if its event is not stored. */
    occurrence: (id: string, number: number) => get<StoredOccurrence>(runPath(id, `/occurrences/${number}`)),
    statistics: (id: string) => get<RunStatistics>(runPath(id, '/statistics')),
    story: (id: string) => get<RunStory>(runPath(id, '/story')),
    draft: (id: string) => get<Draft>(runPath(id, '/draft')),
    draftPreview: (id: string) => get<IssuePreview>(runPath(id, '/draft/preview')),
    draftDifference: (id: string) => get<DraftDifference>(runPath(id, '/draft/difference')),
    /** `digest`: of the draft that was edited. */
    saveDraft: (id: string, edit: DraftEdit, digest: string) =>
      call<Draft>('PUT', runPath(id, '/draft'), edit, ifMatch(digest)),
    evidence: (id: string) => get<EvidenceBundle>(runPath(id, '/evidence')),
    verify: (id: string) => get<PublicationProof>(runPath(id, '/verification')),

    approveGateOne: (id: string) => call<GateOneResult>('POST', runPath(id, '/gate1/approve')),
    /** Approves without waiting for the analysis. */
    startGateOne: (id: string) => call<Run>('POST', runPath(id, '/gate1/approve'), undefined, ASYNC),
    rejectGateOne: (id: string, reason: string) =>
      call<RejectResult>('POST', runPath(id, '/gate1/reject'), { reason }),
    /** Publishes the draft with this digest. */
    approveGateTwo: (id: string, digest: string) =>
      call<GateTwoResult>('POST', runPath(id, '/gate2/approve'), undefined, ifMatch(digest)),
    /** Signs without waiting for the issue. */
    startGateTwo: (id: string, digest: string) =>
      call<Run>('POST', runPath(id, '/gate2/approve'), undefined, { ...ASYNC, ...ifMatch(digest) }),
    rejectGateTwo: (id: string, reason: string, to: 'staged_raw' | 'rejected') =>
      call<RejectResult>('POST', runPath(id, '/gate2/reject'), { reason, to }),

    /** Undoes a rejection. */
    reopen: (id: string) => call<Run>('POST', runPath(id, '/reopen')),

    ...turnCalls(call, runPath),
    merge: (id: string, into: string) => call<MergeResult>('POST', runPath(id, '/merge'), { into }),
    split: (id: string) => call<MergeResult>('POST', runPath(id, '/split')),

    activity: async (ids: readonly string[]) =>
      (await get<{ runs: Record<string, RunActivity> }>(`/api/v1/activity${search({ runs: ids.join(',') })}`))
        .runs,
    /** What happened from `since` (default: 12 hours before) to `until` (default: now); ISO 8601. */
    digest: (period: { readonly since?: string; readonly until?: string }) =>
      get<Digest>(`/api/v1/digest${search(period)}`),
    ...edgeCalls(call),
    ...tokenCalls(call),
    failedNotifications: async () =>
      (await get<{ notifications: readonly FailedNotification[] }>('/api/v1/notifications/failed'))
        .notifications,
    retryNotification: (connector: string, run_id: string) =>
      call<void>('POST', '/api/v1/notifications/retry', { connector, run_id }),
    webhooks: webhookCalls(call),
    /** Why the live feed refuses a connection: a browser does not see the status of a failed handshake. */
    probeLive: (version: number) => get<never>(`/api/v1/live${search({ version })}`),
  };
}

/** Sends one request. The function rejects unless the response is a success. */
function sender({ url, token = null, fetch, timeoutMs = 180_000 }: CoreApiOptions) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    const response = await request(`${url}${path}`, {
      ...(fetch === undefined ? {} : { fetch }),
      method,
      credentials: 'same-origin',
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  };
}

/** The signed-in browsers. */
function sessionCalls(call: <T>(method: string, path: string) => Promise<T>) {
  return {
    /** Newest first. `everybody`: needs the scope `operate`. */
    sessions: async (everybody = false) =>
      (
        await call<{ sessions: readonly ListedSession[] }>(
          'GET',
          `/api/v1/sessions${search({ everybody: everybody ? 'true' : undefined })}`,
        )
      ).sessions,
    endSession: (id: string) => call<void>('DELETE', `/api/v1/sessions/${encodeURIComponent(id)}`),
  };
}

/** Edges, and what senders have used of their quotas. */
function edgeCalls(call: <T>(method: string, path: string, body?: unknown) => Promise<T>) {
  return {
    edges: async () => (await call<{ edges: readonly EdgeEntry[] }>('GET', '/api/v1/edges')).edges,
    /** Figures of the last hour. */
    edgeHistory: async () =>
      (await call<{ edges: readonly EdgeHistoryEntry[] }>('GET', '/api/v1/edges/history')).edges,
    quotas: async () => (await call<{ quotas: readonly QuotaEntry[] }>('GET', '/api/v1/quotas')).quotas,
    /** The edge polls for commands, usually every five seconds. */
    commandEdge: (edge: string, action: EdgeCommand['action']) =>
      call<EdgeCommand>('POST', `/api/v1/edges/${encodeURIComponent(edge)}/commands`, action),
  };
}

/** API tokens. */
function tokenCalls(call: <T>(method: string, path: string, body?: unknown) => Promise<T>) {
  return {
    tokens: async () => (await call<{ tokens: readonly TokenEntry[] }>('GET', '/api/v1/tokens')).tokens,
    /** Resolves with the secret, which core does not show again. */
    makeToken: (token: NewToken) => call<MadeToken>('POST', '/api/v1/tokens', token),
    revokeToken: (id: string) => call<void>('DELETE', `/api/v1/tokens/${encodeURIComponent(id)}`),
  };
}

/** What reviewers do between decisions. */
function turnCalls(
  call: <T>(method: string, path: string, body?: unknown) => Promise<T>,
  runPath: (id: string, rest: string) => string,
) {
  return {
    snooze: (id: string, until: SnoozeUntil, reason?: string) =>
      call<Run>('POST', runPath(id, '/snooze'), { until, ...(reason === undefined ? {} : { reason }) }),
    /** Ends a snooze. */
    wake: (id: string) => call<Run>('POST', runPath(id, '/wake')),
    /** `takeOver`: also if another reviewer has claimed it; otherwise that rejects with the code `claimed`. */
    claim: (id: string, takeOver = false) =>
      call<Run>('POST', runPath(id, '/claim'), { take_over: takeOver }),
    releaseClaim: (id: string) => call<Run>('DELETE', runPath(id, '/claim')),
    /** What `resolve`, or `unresolve`, would do to the issue. */
    resolutionEffect: (id: string, { commit, next_release }: FixedIn = {}) =>
      call<IssueEffect>(
        'GET',
        runPath(id, `/resolution${search({ commit, next_release: next_release ? 'true' : undefined })}`),
      ),
    resolve: (id: string, fixedIn: FixedIn = {}) => call<Run>('POST', runPath(id, '/resolution'), fixedIn),
    unresolve: (id: string) => call<Run>('DELETE', runPath(id, '/resolution')),
    comment: (id: string, comment: string) => call<Run>('POST', runPath(id, '/comments'), { comment }),
  };
}

function search(query: Readonly<Record<string, string | number | undefined>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  return params.size === 0 ? '' : `?${params}`;
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}

async function problemOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const { code, title, detail, path } = (await response.json().catch(() => ({}))) as Partial<Problem> & {
    readonly path?: string;
  };
  if (code === undefined || title === undefined)
    return new ApiError(status, 'unreadable', `Core sent an unreadable reply (status ${status}).`);
  return new ApiError(status, code, detail || title, path);
}

/** What helps to search. */
function searchCalls(call: <T>(method: string, path: string, body?: unknown) => Promise<T>) {
  const views = async (method: string, query = '', body?: SavedView) =>
    (await call<Views>(method, `/api/v1/views${query}`, body)).views;
  return {
    searchValues: async (query: {
      readonly field: string;
      readonly prefix?: string;
      readonly limit?: number;
    }) =>
      (await call<{ values: readonly ValueCount[] }>('GET', `/api/v1/search-values${search({ ...query })}`))
        .values,
    views: () => views('GET'),
    /** Resolves with all views, like `deleteView`. */
    saveView: (view: SavedView) => views('PUT', '', view),
    deleteView: (name: string) => views('DELETE', search({ name })),
  };
}
