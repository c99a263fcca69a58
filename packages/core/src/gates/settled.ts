import type { Run } from '../domain/run.js';
import type { RunPatch } from '../ports/run-store.js';

/** What every decision ends: the claim, and the reason why the run was back. */
export function settled({ claim, woken }: Pick<Run, 'claim' | 'woken'>): RunPatch {
  return { ...(claim ? { claim: null } : {}), ...(woken ? { woken: null } : {}) };
}
