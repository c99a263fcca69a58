/** Where the evidence of a run's analysis is kept. */
export function evidenceKey(runId: string, cycle: number): string {
  return `evidence:${runId}:${cycle}`;
}

/** Where what was learned of a project's paths is kept. */
export function learnedKey(project: string): string {
  return `mappings:${project}`;
}
