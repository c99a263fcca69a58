import type { DeliveryBatch } from '@culprit/core/internal/domain/delivery';
import { jsonResponse } from '../../http/problem-response.js';
import type { EdgeRegistry } from '../edge-registry.js';
import type { GuardSnapshots } from '../guard-snapshots.js';
import type { Metrics } from '../metrics.js';
import { readBody } from '../read-body.js';
import type { CoreRoute } from '../route.js';
import { deliveryBatchSchema, recordResultSchema } from '../schema/delivery-batch.js';

/** Bytes of one batch. */
const LIMIT = 32 * 1024 * 1024;

export interface DeliveryRouteParts {
  readonly guards: GuardSnapshots;
  readonly edges: EdgeRegistry;
  readonly metrics: Metrics;
}

/** The transport from edge to core. */
export function deliveryRoutes({ guards, edges, metrics }: DeliveryRouteParts): CoreRoute[] {
  return [
    {
      method: 'POST',
      pattern: '/internal/v1/deliveries',
      access: 'internal',
      bodyLimit: LIMIT,
      doc: {
        id: 'recordDeliveries',
        summary: 'Record an ordered batch from one edge in one atomic write',
        body: { schema: deliveryBatchSchema, required: true },
        answers: { 200: { what: 'One outcome per delivery, in order', schema: recordResultSchema } },
        problems: ['malformed', 'storage_unavailable'],
      },
      async handle({ request, engine }) {
        const { guard, limits, dead_letters, done, ...batch } = readBody(request, deliveryBatchSchema);
        const { edge } = batch;
        const { outcomes, watermark } = await engine.ingestBatch(batch satisfies DeliveryBatch);
        for (const [at, { outcome, quota }] of outcomes.entries()) {
          metrics.count('culprit_deliveries_total', { outcome });
          if (quota === undefined) continue;
          const project = batch.deliveries[at]?.project ?? '';
          metrics.count('culprit_quota_refused_total', { project, scope: quota.scope, limit: quota.limit });
        }
        // Only reports, about one a second, look up commands; other batches skip it.
        if (guard === undefined) return jsonResponse(200, { outcomes, watermark, commands: [] });
        edges.report(edge, { limits: limits ?? {}, dead_letters: dead_letters ?? [] });
        guards.put(edge, guard);
        await edges.done(edge, done ?? []);
        return jsonResponse(200, { outcomes, watermark, commands: await edges.pending(edge) });
      },
    },
  ];
}
