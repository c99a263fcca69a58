import { secret } from '@culprit/core';
import * as v from 'valibot';

const project = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be a project’s name'));
const positive = v.pipe(v.number(), v.integer(), v.minValue(1));

export const sentryHookConfig = v.object({
  /** Client secrets of integrations; two may be active for a project while one is changed. None: the door is closed. */
  secrets: v.array(v.object({ project, secret: secret() })),
  /** How far `Sentry-Hook-Timestamp` may be off, both ways. Absent: it is not looked at. Sentry does not sign it. */
  toleranceSeconds: v.optional(positive),
});
export type SentryHookConfig = v.InferOutput<typeof sentryHookConfig>;
