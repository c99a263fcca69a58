import type { Occurrence } from '../ports/run-store.js';

/** The occurrence's run among the published ones, by `keyOf`. */
export function runOf(
  runs: ReadonlyMap<string, string | null>,
  { event, fingerprint }: Occurrence,
): string | null {
  return runs.get(keyOf(event.project, fingerprint.hash)) ?? null;
}

/** A fingerprint of a project. */
export function keyOf(project: string, hash: string): string {
  return JSON.stringify([project, hash]);
}
