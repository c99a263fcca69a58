import type { Check, Engine } from '@culprit/core';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import type { Metrics } from '../metrics.js';
import type { CoreRoute } from '../route.js';

const healthSchema = v.object({ status: v.literal('ok') });
/** The edge answers in the second form. */
const readySchema = v.union([
  v.object({
    status: v.picklist(['ready', 'not_ready']),
    checks: v.array(v.object({ name: v.string(), ok: v.boolean() })),
  }),
  v.object({
    status: v.picklist(['ready', 'unready']),
    detail: v.pipe(v.string(), v.description('Of an edge: the state of its spool.')),
  }),
]);

export interface HealthRouteParts {
  /** `null` until the engine has started. */
  readonly engine: () => Engine | null;
  readonly metrics: Metrics;
}

type Looked = Pick<Check, 'name' | 'ok' | 'optional'>;

/** How long the result of a check is cached. */
const FRESH_MS = 2_000;
const STARTING: readonly Looked[] = [{ name: 'engine', ok: false }];

/** Health is public, so it names failing parts without details; see `culprit doctor` and the log. */
export function healthRoutes({ engine, metrics }: HealthRouteParts): CoreRoute[] {
  const look = seldom(FRESH_MS, async (): Promise<readonly Looked[]> => {
    return (await engine()?.check()) ?? STARTING;
  });
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
        const checks = engine() === null ? STARTING : await look();
        const ready = checks.every(({ ok, optional }) => ok || optional === true);
        return jsonResponse(ready ? 200 : 503, {
          status: ready ? 'ready' : 'not_ready',
          checks: checks.map(({ name, ok }) => ({ name, ok })),
        });
      },
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

/** A check writes to the storage and calls the code host, so anonymous requests must not trigger one each. */
function seldom<Result>(ms: number, act: () => Promise<Result>): () => Promise<Result> {
  let last: { readonly result: Promise<Result>; readonly until: number } | null = null;
  return () => {
    if (last !== null && performance.now() < last.until) return last.result;
    const result = act();
    const mine = { result, until: Number.POSITIVE_INFINITY };
    last = mine;
    const done = () => {
      if (last === mine) last = { result, until: performance.now() + ms };
    };
    result.then(done, done);
    return result;
  };
}
