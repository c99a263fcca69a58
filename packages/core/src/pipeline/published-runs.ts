import { hashesOf } from '../domain/member.js';
import type { RunSummary } from '../domain/run.js';
import type { Occurrence, RunStore } from '../ports/run-store.js';
import { type BoundedMap, boundedMap } from '../resilience/bounded-map.js';

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

const MOST_KNOWN = 10_000;

interface Found {
  /** The run if it is published; else `null`. */
  readonly runId: string | null;
  /** What the run's changes are heard of by: the fingerprints under which it may be found. */
  readonly names: readonly string[];
  readonly at: number;
  readonly change: number;
}

/** Which published run counts a crash. Remembered until a run of its fingerprints is new or in another state. */
export class PublishedRuns {
  private readonly found: BoundedMap<string, Found> = boundedMap(MOST_KNOWN);
  private readonly states: BoundedMap<string, string> = boundedMap(MOST_KNOWN);
  /** The number of the last change, by fingerprint. */
  private readonly changes: BoundedMap<string, number> = boundedMap(MOST_KNOWN);
  private change = 0;

  constructor(
    private readonly runStore: Pick<RunStore, 'countedOn'>,
    private readonly clock: { now(): number },
  ) {}

  async find(occurrence: Occurrence, isFresh: (at: number) => boolean): Promise<string | null> {
    const { event, fingerprint, aliases } = occurrence;
    const key = keyOf(event.project, fingerprint.hash);
    const known = this.found.get(key);
    if (known !== undefined && isFresh(known.at) && this.holds(known)) return known.runId;
    const { change } = this;
    const { hash, run } = await this.runStore.countedOn(occurrence);
    // The run that the crash is about to start may have another form's fingerprint.
    if (run === null) return null;
    const runId = run.state === 'published' ? run.run_id : null;
    const hashes = new Set([fingerprint.hash, hash, ...aliases, ...hashesOf(run)]);
    const names = [...hashes].map((one) => keyOf(event.project, one));
    this.found.set(key, { runId, names, at: this.clock.now(), change });
    return runId;
  }

  /** A run has changed. */
  heard(run: Pick<RunSummary, 'run_id' | 'state' | 'project' | 'fingerprint' | 'members'>): void {
    if (this.states.get(run.run_id) === run.state) return;
    this.states.set(run.run_id, run.state);
    this.change += 1;
    for (const hash of hashesOf(run)) this.changes.set(keyOf(run.project, hash), this.change);
  }

  private holds({ names, change }: Found): boolean {
    return names.every((name) => (this.changes.get(name) ?? 0) <= change);
  }
}
