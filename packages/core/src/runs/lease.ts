import type { Lease, RunRecord } from '../domain/run.js';

/** A lease with a new token; changes with an older token are refused. Tokens grow because versions do. */
export function takeLease(record: RunRecord, owner: string, expiresAt: number): Lease {
  return { owner, token: record.run.version + 1, expires_at: new Date(expiresAt).toISOString() };
}

/** True while no other engine has taken over. */
export function holds(record: RunRecord, lease: Lease | null): boolean {
  return record.lease !== null && lease !== null && record.lease.token === lease.token;
}
