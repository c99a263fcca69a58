import type { RawDelivery, Verification } from '@culprit/core';
import { type HmacSecret, matchingSecret } from '../shared/hmac.js';
import type { SentryHookConfig } from './config.js';

const SIGNATURE = 'sentry-hook-signature';
const TIMESTAMP = 'sentry-hook-timestamp';
const HEX_SHA256 = /^[0-9a-f]{64}$/;

const refuse = (reason: string): Verification => ({ ok: false, status: 401, reason });

/**
 * HMAC-SHA256 over the raw body, lower-case hex. The bytes count, never the parsed object: Sentry writes `é` and
 * `1566248777.0` as no JavaScript does.
 */
export function hookVerifier(config: SentryHookConfig): (delivery: RawDelivery) => Verification {
  const secrets: readonly HmacSecret[] = config.secrets.filter(({ secret }) => secret !== '');
  return ({ headers, body, receivedAt }) => {
    const hex = headers[SIGNATURE] ?? '';
    if (!HEX_SHA256.test(hex)) {
      return refuse(`The header ${SIGNATURE} must be one HMAC-SHA256 in 64 lower-case hex digits.`);
    }
    const found = matchingSecret(secrets, [body], Buffer.from(hex, 'hex'));
    if (found === null) return refuse('The signature does not belong to this body and any active secret.');
    if (
      config.toleranceSeconds !== undefined &&
      !isNear(headers[TIMESTAMP], receivedAt, config.toleranceSeconds)
    ) {
      return refuse(`The header ${TIMESTAMP} is missing or too far from now.`);
    }
    return { ok: true, project: found.project, credential: found.credential };
  };
}

function isNear(timestamp: string | undefined, now: number, toleranceSeconds: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp ?? '')) return false;
  return Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds;
}
