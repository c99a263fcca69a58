import * as v from 'valibot';

export const HEALTH_STATES = ['ok', 'degraded', 'failed'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

const state = v.pipe(
  v.picklist(HEALTH_STATES),
  v.description('`degraded`: Culprit works without it. `failed`: something must be mended.'),
);

export const healthCheckSchema = v.object({
  name: v.string(),
  state,
  detail: v.pipe(v.string(), v.description('What was found, or what is wrong and what mends it.')),
  since: v.pipe(
    v.nullable(v.string()),
    v.description('When this core first found it in this state; `null` while core starts.'),
  ),
});
export type HealthCheck = Readonly<v.InferOutput<typeof healthCheckSchema>>;

export const healthReportSchema = v.object({
  state: v.pipe(state, v.description('The worst of the checks.')),
  checked_at: v.string(),
  checks: v.pipe(v.array(healthCheckSchema), v.description('The worst first.')),
});
export type HealthReport = v.InferOutput<typeof healthReportSchema>;
