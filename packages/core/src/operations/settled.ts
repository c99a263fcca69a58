import type { Run } from '../domain/run.js';
import type { RunPatch } from '../ports/run-store.js';

/** What every decision ends: the claim, and the reason why the run was back. */
export function settled({ claim, woken }: Pick<Run, 'claim' | 'woken'>): RunPatch {
  return { ...(claim ? { claim: null } : {}), ...(woken ? { woken: null } : {}) };
}

/** What an approval of Gate 1 ends besides: why the run came back. */
export function admitted(run: Pick<Run, 'claim' | 'woken' | 'returned'>): RunPatch {
  return { ...settled(run), ...(run.returned ? { returned: null } : {}), last_error: null };
}
