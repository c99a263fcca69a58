import {
  CulpritError,
  type Draft,
  type DraftDifference,
  ERRORS,
  type ErrorCode,
  type EvidenceBundle,
  type FailedNotification,
  type GateOneResult,
  type GateTwoResult,
  type HistoryEntry,
  type PublicationProof,
  type RejectResult,
  type Run,
  type RunSummary,
} from '@culprit/core';

export interface RunsQuery {
  readonly state?: string;
  readonly project?: string;
  readonly query?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Core's HTTP interface for programs: every call is a reviewer's. */
export interface CoreApi {
  readonly url: string;
  runs(query: RunsQuery): Promise<{ readonly runs: readonly RunSummary[]; readonly next: string | null }>;
  run(runId: string): Promise<Run>;
  history(runId: string): Promise<readonly HistoryEntry[]>;
  draft(runId: string): Promise<Draft>;
  draftDifference(runId: string): Promise<DraftDifference>;
  evidence(runId: string): Promise<EvidenceBundle>;
  verify(runId: string): Promise<PublicationProof>;
  approveGateOne(runId: string): Promise<GateOneResult>;
  rejectGateOne(runId: string, reason: string): Promise<RejectResult>;
  failedNotifications(): Promise<readonly FailedNotification[]>;
  retryNotification(connector: string, runId: string): Promise<void>;
  /** Signs the draft that has this digest. */
  approveGateTwo(runId: string, digest: string): Promise<GateTwoResult>;
  rejectGateTwo(runId: string, reason: string, to: 'staged_raw' | 'rejected'): Promise<RejectResult>;
}

/** A gate may take the analysis' whole budget. */
const PATIENCE_MS = 180_000;

/** Rejects with core's own error code; with {@link Unreachable} where nobody answers. */
export function coreApi(url: string, token: string | null): CoreApi {
  const call = async <T>(method: string, path: string, more: CallParts = {}): Promise<T> => {
    const response = await send(url, path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(more.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more.headers,
      },
      ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.ok) return (await response.json()) as T;
    throw await refusal(response);
  };
  const of = (runId: string, rest = '') => `/api/v1/runs/${encodeURIComponent(runId)}${rest}`;
  return {
    url,
    runs: (query) => {
      const given = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      );
      return call('GET', `/api/v1/runs?${new URLSearchParams(given)}`);
    },
    run: (runId) => call('GET', of(runId)),
    history: async (runId) => (await call<{ entries: HistoryEntry[] }>('GET', of(runId, '/history'))).entries,
    draft: (runId) => call('GET', of(runId, '/draft')),
    draftDifference: (runId) => call('GET', of(runId, '/draft/difference')),
    evidence: (runId) => call('GET', of(runId, '/evidence')),
    verify: (runId) => call('GET', of(runId, '/verification')),
    failedNotifications: async () =>
      (await call<{ notifications: FailedNotification[] }>('GET', '/api/v1/notifications/failed'))
        .notifications,
    retryNotification: (connector, run_id) =>
      call('POST', '/api/v1/notifications/retry', { body: { connector, run_id } }),
    approveGateOne: (runId) => call('POST', of(runId, '/gate1/approve')),
    rejectGateOne: (runId, reason) => call('POST', of(runId, '/gate1/reject'), { body: { reason } }),
    approveGateTwo: (runId, digest) =>
      call('POST', of(runId, '/gate2/approve'), { headers: { 'if-match': `"${digest}"` } }),
    rejectGateTwo: (runId, reason, to) => call('POST', of(runId, '/gate2/reject'), { body: { reason, to } }),
  };
}

interface CallParts {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Nobody answers at an address. */
export class Unreachable extends Error {}

export async function send(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, init);
  } catch (error) {
    const cause = (error as { cause?: { code?: unknown } }).cause?.code;
    const why =
      error instanceof DOMException && error.name === 'TimeoutError' ? 'no answer in time' : (cause ?? error);
    throw new Unreachable(
      `Nobody answers at ${url} (${String(why)}). Is it running? Give its address with a flag.`,
    );
  }
}

async function refusal(response: Response): Promise<CulpritError> {
  const said = (await response.json().catch(() => ({}))) as {
    code?: unknown;
    detail?: unknown;
    title?: unknown;
  };
  const known = typeof said.code === 'string' && said.code in ERRORS ? (said.code as ErrorCode) : 'internal';
  const text =
    [said.detail, said.title].find((part) => typeof part === 'string') ?? `status ${response.status}`;
  return new CulpritError(known, String(text));
}
