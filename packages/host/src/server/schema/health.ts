import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

const HEALTH_STATES = ['ok', 'degraded', 'failed'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

const state = about(
  v.picklist(HEALTH_STATES),
  '`degraded`: Culprit works without it. `failed`: something must be fixed.',
);

const healthCheckSchema = v.object({
  name: v.string(),
  state,
  detail: about(v.string(), 'What was found, or what is wrong and how to fix it.'),
  since: about(
    v.nullable(v.string()),
    'When this core first found it in this state; `null` while core starts.',
  ),
});
export type HealthCheck = Readonly<v.InferOutput<typeof healthCheckSchema>>;

export const healthReportSchema = v.object({
  state: about(state, 'The worst of the checks.'),
  checked_at: v.string(),
  checks: about(v.array(healthCheckSchema), 'The worst first.'),
});
export type HealthReport = v.InferOutput<typeof healthReportSchema>;
