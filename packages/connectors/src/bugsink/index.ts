import { defineConnector, type RawDelivery, type Verification } from '@culprit/core/connector';
import * as v from 'valibot';
import { projectSecrets } from '../shared/config.js';
import { findCredential, fingerprintOf } from '../shared/credentials.js';
import { parseAlert } from './parse.js';

const bugsinkConfig = v.strictObject({
  /** Secrets in the webhook's URL, per project. Two may be active during a rotation. An empty list closes the endpoint. */
  secrets: v.optional(projectSecrets, []),
});
type BugsinkConfig = v.InferOutput<typeof bugsinkConfig>;

/** Read by the host before setup. */
export const ports = ['tracker'];

/** `POST /webhook/bugsink`: alerts of Bugsink's generic webhook. */
export const bugsink = defineConnector({
  id: 'bugsink',
  config: bugsinkConfig,
  setup: (config) => ({ tracker: { verify: secretVerifier(config), parse: parseAlert } }),
});

/** The same connector under the name that the host loads from a package. */
export const connector = bugsink;

/** Bugsink signs nothing and sends no header of its own, so the secret is in the URL: use it over https only. */
function secretVerifier({ secrets }: BugsinkConfig): (delivery: RawDelivery) => Verification {
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
