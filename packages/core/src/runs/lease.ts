import type { Lease, RunRecord } from '../domain/run.js';

/** A lease with a new token: what still carries an older one is refused from now on. Versions only grow, so tokens do. */
export function takeLease(record: RunRecord, owner: string, expiresAt: number): Lease {
  return { owner, token: record.run.version + 1, expires_at: new Date(expiresAt).toISOString() };
}

/** True while nobody has taken the work over. */
export function holds(record: RunRecord, lease: Lease | null): boolean {
  return record.lease !== null && lease !== null && record.lease.token === lease.token;
}
