import { hourOf } from '@culprit/core/model';
import * as v from 'valibot';
import { OPTIONAL_PAGE_PARAMETERS, pageOf, pageResponse } from '../paging.js';
import type { CoreRoute } from '../route.js';
import { type QuotaEntry, quotaSchema } from '../schema/quotas.js';

const quotasSchema = v.object({ quotas: v.array(quotaSchema), next: v.nullable(v.string()) });

function keyOf({ scope, project, door, key }: QuotaEntry): string {
  return JSON.stringify([scope, project, door, key]);
}

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
        id: 'listQuotas',
        summary: 'List what each key, door and project has used of its quota',
        answers: {
          200: { what: 'Those that refused most first', schema: quotasSchema },
        },
        query: OPTIONAL_PAGE_PARAMETERS,
        problems: ['storage_unavailable', 'malformed', 'invalid_cursor'],
      },
      async handle({ request, engine }) {
        const hour = hourOf(now());
        const limits = engine.policy.quotas;
        const usage = await engine.quotaUsage();
        const quotas = usage.map(({ counts, ...subject }): QuotaEntry => {
          const { new_runs, open_runs, bytes, refused } = counts;
          const used = { new_runs: counts.hour === hour ? new_runs : 0, open_runs, bytes };
          return { ...subject, used, limits: limits?.[subject.scope] ?? null, refused };
        });
        quotas.sort((a, b) => b.refused - a.refused || b.used.open_runs - a.used.open_runs);
        const { page, next } = pageOf(quotas, request.query, keyOf);
        return pageResponse(request, { quotas: page, next });
      },
    },
  ];
}
