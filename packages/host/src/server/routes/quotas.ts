import { hourOf } from '@culprit/core/internal/domain/quota';
import * as v from 'valibot';
import { listing } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { type QuotaEntry, quotaSchema } from '../schema/quotas.js';

/** What each key, door and project has used of its quota. */
export function quotaRoutes(now: () => number): CoreRoute[] {
  return [
    listing<QuotaEntry>({
      path: '/api/v1/quotas',
      scope: 'read',
      reach: 'installation',
      id: 'listQuotas',
      summary: 'List what each key, door and project has used of its quota',
      what: 'Quotas with the most refusals first',
      name: 'quotas',
      entries: v.array(quotaSchema),
      async all({ engine }) {
        const hour = hourOf(now());
        const limits = engine.policy.quotas;
        const quotas = (await engine.quotaUsage()).map(({ counts, ...subject }): QuotaEntry => {
          const { new_runs, open_runs, bytes, refused } = counts;
          const used = { new_runs: counts.hour === hour ? new_runs : 0, open_runs, bytes };
          return { ...subject, used, limits: limits?.[subject.scope] ?? null, refused };
        });
        return quotas.sort((a, b) => b.refused - a.refused || b.used.open_runs - a.used.open_runs);
      },
      key: ({ scope, project, door, key }) => JSON.stringify([scope, project, door, key]),
    }),
  ];
}
