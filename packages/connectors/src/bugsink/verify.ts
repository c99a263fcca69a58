import type { RawDelivery, Verification } from '@culprit/core';
import { findCredential, fingerprintOf } from '../shared/credentials.js';
import type { BugsinkConfig } from './config.js';

/** Bugsink signs nothing and sends no header of its own, so the secret is in the URL: use it over https only. */
export function secretVerifier({ secrets }: BugsinkConfig): (delivery: RawDelivery) => Verification {
  const known = secrets.map(({ project, secret }) => {
    const fingerprint = fingerprintOf(secret);
    return { project, fingerprint, credential: fingerprint.toString('hex').slice(0, 16) };
  });
  return ({ query }) => {
    const found = findCredential(known, query.secret ?? '');
    return found === null
      ? { ok: false, status: 401, reason: 'The URL must end in ?secret= and an active secret.' }
      : { ok: true, project: found.project, credential: found.credential };
  };
}
