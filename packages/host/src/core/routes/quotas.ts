import { hourOf } from '@culprit/core/model';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import type { CoreRoute } from '../route.js';
import { type QuotaEntry, quotaSchema } from '../schema/quotas.js';

/** What each key, door and project has used of its quota. */
export function quotaRoutes(now: () => number): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/api/v1/quotas',
      access: 'reviewer',
      scope: 'read',
      reach: 'installation',
      doc: {
        summary: 'List what each key, door and project has used of its quota',
        answers: {
          200: { what: 'Those that refused most first', schema: v.object({ quotas: v.array(quotaSchema) }) },
        },
        problems: ['storage_unavailable'],
      },
      async handle({ engine }) {
        const hour = hourOf(now());
        const limits = engine.policy.quotas;
        const usage = await engine.quotaUsage();
        const quotas = usage.map(({ counts, ...subject }): QuotaEntry => {
          const { new_runs, open_runs, bytes, refused } = counts;
          const used = { new_runs: counts.hour === hour ? new_runs : 0, open_runs, bytes };
          return { ...subject, used, limits: limits?.[subject.scope] ?? null, refused };
        });
        quotas.sort((a, b) => b.refused - a.refused || b.used.open_runs - a.used.open_runs);
        return jsonResponse(200, { quotas });
      },
    },
  ];
}
