import type { RequestHead, Route } from '../http/message.js';
import { jsonResponse, problemResponse } from '../http/problem-response.js';
import { metricsText } from './guards/metrics-text.js';
import type { GuardTelemetry } from './guards/telemetry.js';
import type { Spool } from './spool/spool.js';

export interface ProbeParts {
  readonly spool: Spool;
  readonly telemetry: () => GuardTelemetry;
  /** Throws unless the request may read the figures. */
  readonly access: (head: RequestHead) => void;
}

/**
 * Liveness, readiness and guard figures. Ready means that the next delivery can be written to disk; core may be down.
 */
export function probeRoutes({ spool, telemetry, access }: ProbeParts): Route[] {
  const figures = (pattern: string, handle: Route['handle']): Route => ({
    method: 'GET',
    pattern,
    admit: (head) => {
      try {
        access(head);
        return null;
      } catch (error) {
        return problemResponse(error);
      }
    },
    handle,
  });
  const noStore = { 'cache-control': 'no-store' };
  return [
    { method: 'GET', pattern: '/healthz', handle: () => jsonResponse(200, { status: 'ok' }, noStore) },
    {
      method: 'GET',
      pattern: '/readyz',
      handle: async () => {
        const { ready, detail } = await spool.readiness();
        return jsonResponse(ready ? 200 : 503, { status: ready ? 'ready' : 'unready', detail }, noStore);
      },
    },
    figures('/api/v1/guard', () => jsonResponse(200, telemetry(), noStore)),
    figures('/metrics', () => ({
      status: 200,
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', ...noStore },
      body: metricsText(telemetry()),
    })),
  ];
}
