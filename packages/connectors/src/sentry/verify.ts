import type { RawDelivery, Verification } from '@culprit/core';
import { findCredential, fingerprintOf } from '../shared/credentials.js';
import { readAuth, refuse } from './auth.js';
import type { SentryConfig } from './config.js';
import { isEnvelope, isTunnel } from './door.js';

/**
 * Checks the public key, then the project. The path's project must be the key's project. SDKs require digits there, so any
 * number is accepted, unless it names a project or the key's project itself has a numeric name.
 */
export function keyVerifier(config: SentryConfig): (delivery: RawDelivery) => Verification {
  const keys = config.keys.map(({ project, key }, index) => ({
    project,
    credential: `${project}/key-${index + 1}`,
    fingerprint: fingerprintOf(key),
  }));
  const names = new Set(keys.map(({ project }) => project));
  const allows = (project: string, segment: string) =>
    segment === project || (/^\d{1,20}$/.test(segment) && !names.has(segment) && !/^\d+$/.test(project));

  const tunnels = new Set(config.tunnels);
  return (delivery) => {
    const auth = readAuth(delivery, isEnvelope(delivery));
    if (!auth.ok) return auth;
    if (isTunnel(delivery) && (auth.dsn === null || !tunnels.has(auth.dsn.target))) {
      return refuse(403, 'the envelope’s dsn is not an allowed tunnel');
    }
    const found = findCredential(keys, auth.key);
    if (found === null) {
      return refuse(401, 'unknown public key; check the DSN');
    }
    const segment = delivery.params.project;
    if (auth.dsn !== null && segment !== undefined && auth.dsn.project !== segment) {
      return refuse(400, 'project id header mismatch: the envelope’s dsn has another project');
    }
    const named = segment ?? auth.dsn?.project;
    if (named !== undefined && !allows(found.project, named)) {
      return refuse(403, 'event submission rejected with_reason: ProjectId');
    }
    return { ok: true, project: found.project, credential: found.credential, trust: 'untrusted' };
  };
}
