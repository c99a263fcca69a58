import { defineConnector, type RawDelivery, type Verification } from '@culprit/core/connector';
import * as v from 'valibot';
import { positiveInteger, projectSecrets } from '../shared/config.js';
import { type HmacSecret, matchingSecret } from '../shared/hmac.js';
import { parseHook } from './parse.js';

const sentryHookConfig = v.strictObject({
  /** Client secrets of integrations. Two may be active for a project during a rotation. An empty list closes the endpoint. */
  secrets: projectSecrets,
  /** Tolerance of `Sentry-Hook-Timestamp`, in both directions. Absent: not checked. Sentry does not sign it. */
  toleranceSeconds: v.optional(positiveInteger),
});
type SentryHookConfig = v.InferOutput<typeof sentryHookConfig>;

/** `POST /webhook/sentry-hook`: Sentry's integration platform (`event_alert`, `error`, `issue`). */
export const sentryHook = defineConnector({
  id: 'sentry-hook',
  config: sentryHookConfig,
  setup: (config) => ({ tracker: { verify: hookVerifier(config), parse: parseHook } }),
});

const SIGNATURE = 'sentry-hook-signature';
const TIMESTAMP = 'sentry-hook-timestamp';
const HEX_SHA256 = /^[0-9a-f]{64}$/;

const refuse = (reason: string): Verification => ({ ok: false, status: 401, reason });

/**
 * HMAC-SHA256 over the raw body, in lower-case hex. Only the raw bytes verify: Sentry serialises `é` and `1566248777.0` as
 * no JavaScript serialiser does.
 */
function hookVerifier(config: SentryHookConfig): (delivery: RawDelivery) => Verification {
  const secrets: readonly HmacSecret[] = config.secrets.filter(({ secret }) => secret !== '');
  return ({ headers, body, receivedAt }) => {
    const hex = headers[SIGNATURE] ?? '';
    if (!HEX_SHA256.test(hex)) {
      return refuse(`The header ${SIGNATURE} must be an HMAC-SHA256 of 64 lower-case hex digits.`);
    }
    const found = matchingSecret(secrets, [body], Buffer.from(hex, 'hex'));
    if (found === null) return refuse('The signature matches no active secret.');
    if (
      config.toleranceSeconds !== undefined &&
      !isNear(headers[TIMESTAMP], receivedAt, config.toleranceSeconds)
    ) {
      return refuse(`The header ${TIMESTAMP} is missing or differs too much from the current time.`);
    }
    return { ok: true, project: found.project, credential: found.credential };
  };
}

function isNear(timestamp: string | undefined, now: number, toleranceSeconds: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp ?? '')) return false;
  return Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds;
}
