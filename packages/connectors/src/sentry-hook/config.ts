import * as v from 'valibot';
import { positiveInteger, projectSecrets } from '../shared/config.js';

export const sentryHookConfig = v.strictObject({
  /** Client secrets of integrations; two may be active for a project while one is changed. None: the door is closed. */
  secrets: projectSecrets,
  /** How far `Sentry-Hook-Timestamp` may be off, both ways. Absent: it is not looked at. Sentry does not sign it. */
  toleranceSeconds: v.optional(positiveInteger),
});
export type SentryHookConfig = v.InferOutput<typeof sentryHookConfig>;
