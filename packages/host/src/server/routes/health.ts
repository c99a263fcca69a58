import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import type { Health } from '../health.js';
import type { Metrics } from '../metrics.js';
import type { CoreRoute } from '../route.js';
import { healthReportSchema } from '../schema/health.js';

const healthSchema = v.object({ status: v.literal('ok') });
/** The edge answers in the second form. */
const readySchema = v.union([
  v.object({
    status: v.picklist(['ready', 'not_ready']),
    checks: v.array(v.object({ name: v.string(), ok: v.boolean() })),
  }),
  v.object({
    status: v.picklist(['ready', 'unready']),
    detail: about(v.string(), 'Of an edge: the state of its spool.'),
  }),
]);

export interface HealthRouteParts {
  readonly health: Health;
  readonly metrics: Metrics;
}

/** Details may name paths and addresses of the installation as a whole. */
const OPERATE = { access: 'reviewer', scope: 'operate', reach: 'installation' } as const;

/** `/readyz` is public, so it names failing parts without details; operators read them in `/api/v1/health`. */
export function healthRoutes({ health, metrics }: HealthRouteParts): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/healthz',
      access: 'open',
      doc: {
        id: 'checkHealth',
        summary: 'Check liveness',
        answers: { 200: { what: 'Alive', schema: healthSchema } },
      },
      handle: () => jsonResponse(200, { status: 'ok' }),
    },
    {
      method: 'GET',
      pattern: '/readyz',
      access: 'open',
      doc: {
        id: 'checkReadiness',
        summary: 'Check readiness of all required connectors',
        answers: {
          200: { what: 'Ready', schema: readySchema },
          503: { what: 'Not ready', schema: readySchema },
        },
      },
      async handle() {
        const checks = await health.connectors();
        const ready = checks.every(({ state }) => state !== 'failed');
        return jsonResponse(ready ? 200 : 503, {
          status: ready ? 'ready' : 'not_ready',
          checks: checks.map(({ name, state }) => ({ name, ok: state === 'ok' })),
        });
      },
    },
    {
      ...OPERATE,
      method: 'GET',
      pattern: '/api/v1/health',
      doc: {
        id: 'getHealth',
        summary:
          'Check this core’s installation now: machine, settings, storage and every connector. Results are reused for two seconds',
        answers: { 200: { what: 'Every check, with how to fix it', schema: healthReportSchema } },
      },
      handle: async () => jsonResponse(200, await health.report(), { 'cache-control': 'no-store' }),
    },
    {
      method: 'GET',
      pattern: '/metrics',
      access: 'reviewer',
      scope: 'read',
      reach: 'installation',
      doc: {
        id: 'getMetrics',
        summary: 'Get metrics in Prometheus text format',
        answers: { 200: { what: 'Metrics', type: 'text/plain' } },
      },
      handle: () => ({
        status: 200,
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        body: metrics.text(),
      }),
    },
  ];
}
