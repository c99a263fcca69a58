import type { Draft, HistoryEntry, Problem, Run, RunSummary } from '@culprit/core';

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
    throw new ApiError(0, 'unreachable', 'Core cannot be reached. Nothing was decided.');
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

const at = (id: string) => `/api/v1/runs/${encodeURIComponent(id)}`;

export const api = {
  signIn: (token: string) => call<{ name: string }>('POST', '/api/v1/session', { token }),
  signOut: () => call<void>('DELETE', '/api/v1/session'),
  /** Rejects with 401 where nobody is signed in. */
  probe: () => call<{ runs: RunSummary[] }>('GET', '/api/v1/runs?limit=1'),
  closed: () => call<{ runs: RunSummary[] }>('GET', '/api/v1/runs?state=published,rejected&limit=100'),
  run: (id: string) => call<Run>('GET', at(id)),
  history: (id: string) => call<{ entries: HistoryEntry[] }>('GET', `${at(id)}/history`),
  approveGateOne: (id: string) => call<unknown>('POST', `${at(id)}/gate1/approve`),
  rejectGateOne: (id: string, reason: string) => call<unknown>('POST', `${at(id)}/gate1/reject`, { reason }),
  /** Bound to the digest that was on the screen. */
  approveGateTwo: (id: string, draft: Draft) =>
    call<{ status: string }>('POST', `${at(id)}/gate2/approve`, undefined, {
      'if-match': `"${draft.digest}"`,
    }),
  rejectGateTwo: (id: string, reason: string, to: 'staged_raw' | 'rejected') =>
    call<unknown>('POST', `${at(id)}/gate2/reject`, { reason, to }),
};
