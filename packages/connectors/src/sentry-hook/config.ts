import * as v from 'valibot';
import { positiveInteger, projectSecrets } from '../shared/config.js';

export const sentryHookConfig = v.strictObject({
  /** Client secrets of integrations. Two may be active for a project during a rotation. An empty list closes the endpoint. */
  secrets: projectSecrets,
  /** Tolerance of `Sentry-Hook-Timestamp`, in both directions. Absent: not checked. Sentry does not sign it. */
  toleranceSeconds: v.optional(positiveInteger),
});
export type SentryHookConfig = v.InferOutput<typeof sentryHookConfig>;
