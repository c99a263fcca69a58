import type * as v from 'valibot';
import type { datedCommit } from './schema.js';

export interface DatedCommit {
  readonly sha: string;
  /** ISO 8601. */
  readonly committed_at: string;
}

export function dated(commit: v.InferOutput<typeof datedCommit>): DatedCommit | null {
  if (commit === null) return null;
  return { sha: commit.oid, committed_at: new Date(commit.committedDate).toISOString() };
}
