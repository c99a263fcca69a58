import { timingSafeEqual } from 'node:crypto';
import type { RawDelivery, Verification } from '@culprit/core';
import { hmacSha256With } from '../shared/hmac.js';
import type { ErrortrackerConfig } from './config.js';

const SIGNATURE = 'tracker-hook-signature';
/** Lower case by contract. Anything else, such as two headers joined by a comma, is invalid. */
const HEX_SHA256 = /^(?:sha256=)?([0-9a-f]{64})$/;

function refuse(reason: string): Verification {
  return { ok: false, status: 401, reason };
}

/** HMAC-SHA256 over the raw body by any active secret. */
export function signatureVerifier(config: ErrortrackerConfig): (delivery: RawDelivery) => Verification {
  const secrets = config.secrets
    .filter(({ secret }) => secret !== '')
    .map(({ project, secret }, index) => ({
      sign: hmacSha256With(secret),
      owner: { ok: true, project, credential: `${project}/secret-${index + 1}` } satisfies Verification,
    }));
  return ({ headers, body }) => {
    const header = headers[SIGNATURE];
    if (header === undefined || header === '') return refuse(`The header ${SIGNATURE} is missing.`);
    const hex = HEX_SHA256.exec(header)?.[1];
    if (hex === undefined) {
      return refuse(`The header ${SIGNATURE} must be an HMAC-SHA256 of 64 lower-case hex digits.`);
    }
    const given = Buffer.from(hex, 'latin1');
    let found: Verification | null = null;
    for (const { sign, owner } of secrets) {
      if (timingSafeEqual(Buffer.from(sign(body), 'latin1'), given)) found ??= owner;
    }
    return found ?? refuse('The signature matches no active secret.');
  };
}
