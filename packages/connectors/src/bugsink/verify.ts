import { createHash, timingSafeEqual } from 'node:crypto';
import type { RawDelivery, Verification } from '@culprit/core';
import type { BugsinkConfig } from './config.js';

/** Bugsink does not sign: it sends a secret in a configurable header, so use it over https only. */
export function secretVerifier({ secrets, header }: BugsinkConfig): (delivery: RawDelivery) => Verification {
  const known = secrets.map(({ project, secret }) => {
    const digest = sha256(secret);
    return { project, digest, credential: digest.toString('hex').slice(0, 16) };
  });
  return ({ headers }) => {
    const given = headers[header] ?? '';
    const digest = sha256(given);
    let found: (typeof known)[number] | null = null;
    for (const one of known) if (timingSafeEqual(one.digest, digest)) found ??= one;
    if (given === '' || found === null) {
      return { ok: false, status: 401, reason: `The header ${header} does not contain an active secret.` };
    }
    return { ok: true, project: found.project, credential: found.credential };
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
