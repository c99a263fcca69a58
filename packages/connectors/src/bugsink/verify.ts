import type { RawDelivery, Verification } from '@culprit/core';
import { findCredential, fingerprintOf } from '../shared/credentials.js';
import type { BugsinkConfig } from './config.js';

/** Bugsink does not sign: it sends a secret in a configurable header, so use it over https only. */
export function secretVerifier({ secrets, header }: BugsinkConfig): (delivery: RawDelivery) => Verification {
  const known = secrets.map(({ project, secret }) => {
    const fingerprint = fingerprintOf(secret);
    return { project, fingerprint, credential: fingerprint.toString('hex').slice(0, 16) };
  });
  return ({ headers }) => {
    const found = findCredential(known, headers[header] ?? '');
    return found === null
      ? { ok: false, status: 401, reason: `The header ${header} does not contain an active secret.` }
      : { ok: true, project: found.project, credential: found.credential };
  };
}
