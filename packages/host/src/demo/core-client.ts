import { CulpritError, type HistoryEntry, type Run, type RunSummary } from '@culprit/core';

/** Core's HTTP interface, as far as the demo needs it; every call is a reviewer's. */
export interface CoreClient {
  runs(): Promise<readonly RunSummary[]>;
  run(runId: string): Promise<Run>;
  history(runId: string): Promise<readonly HistoryEntry[]>;
  approveGateOne(runId: string): Promise<void>;
  /** Signs the draft that has this digest; resolves when the code host has answered or asks to wait. */
  approveGateTwo(runId: string, digest: string): Promise<void>;
}

/** @throws `internal` with what core said, where it refuses. */
export function coreClient(coreUrl: string, token: string): CoreClient {
  const call = async <T>(method: string, path: string, headers: Record<string, string> = {}): Promise<T> => {
    const response = await fetch(`${coreUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: AbortSignal.timeout(150_000),
    });
    if (response.ok) return (await response.json()) as T;
    const said = (await response.json().catch(() => ({}))) as { detail?: string; title?: string };
    throw new CulpritError(
      'internal',
      `${method} ${path}: ${response.status} ${said.detail ?? said.title ?? ''}`,
    );
  };
  const runPath = (runId: string) => `/api/v1/runs/${encodeURIComponent(runId)}`;
  return {
    runs: async () => (await call<{ runs: RunSummary[] }>('GET', '/api/v1/runs?limit=50')).runs,
    run: (runId) => call('GET', runPath(runId)),
    history: async (runId) =>
      (await call<{ entries: HistoryEntry[] }>('GET', `${runPath(runId)}/history`)).entries,
    approveGateOne: async (runId) => {
      await call('POST', `${runPath(runId)}/gate1/approve`);
    },
    approveGateTwo: async (runId, digest) => {
      await call('POST', `${runPath(runId)}/gate2/approve`, { 'if-match': `"${digest}"` });
    },
  };
}

/** The states a run went through, from its history. */
export function statesOf(entries: readonly HistoryEntry[]): string[] {
  const states: string[] = [];
  for (const { to } of entries) if (to !== null && states.at(-1) !== to) states.push(to);
  return states;
}
