/** What the keys of all evidence begin with. */
export const EVIDENCE_FAMILY = 'evidence:';

/** The key of an analysis's evidence. */
export function evidenceKey(runId: string, cycle: number): string {
  return `${EVIDENCE_FAMILY}${runId}:${cycle}`;
}

/** The key of the journal of a run's investigation. */
export function investigationKey(runId: string, cycle: number): `investigation:${string}` {
  return `investigation:${runId}:${cycle}`;
}

/** The key of a project's learned mappings. */
export function learnedKey(project: string): string {
  return `mappings:${project}`;
}
