import { continues, type Group, joinFamily } from '../domain/group.js';
import type { HistoryEntry, NewHistoryEntry } from '../domain/history.js';
import type { Run, RunRecord } from '../domain/run.js';
import { CulpritError } from '../errors/error.js';
import type { Countable } from '../ports/run-incidents.js';
import type { BatchItem } from '../ports/run-store.js';
import type { MemoryLog } from './memory-occurrences.js';
import type { MemoryQuotas } from './memory-quotas.js';

interface Known {
  readonly runs: ReadonlyMap<string, RunRecord>;
  readonly latest: ReadonlyMap<string, string>;
}

/** Everything that a memory storage holds. */
export interface State {
  readonly runs: Map<string, RunRecord>;
  /** Latest run by project and fingerprint hash. */
  readonly latest: Map<string, string>;
  /** By project and name of the family. */
  readonly families: Map<string, readonly Group[]>;
  readonly events: Map<string, { readonly run_id: string; readonly edge: string; readonly sequence: number }>;
  readonly refusals: Map<string, NonNullable<BatchItem['refusal']>>;
  readonly watermarks: Map<string, number>;
  readonly histories: Map<string, HistoryEntry[]>;
  readonly logs: Map<string, MemoryLog>;
  readonly quotas: MemoryQuotas;
  readonly emit: (run: Run) => void;
}

export function mustGet(state: Pick<Known, 'runs'>, runId: string): RunRecord {
  const found = state.runs.get(runId);
  if (found === undefined) throw new CulpritError('run_not_found', `There is no run ${runId.slice(0, 64)}.`);
  return found;
}

export function append(state: State, runId: string, entries: readonly NewHistoryEntry[]): void {
  const there = state.histories.get(runId) ?? [];
  for (const entry of entries) there.push({ ...entry, sequence: there.length + 1 });
  state.histories.set(runId, there);
}

export function key(...parts: (string | number)[]): string {
  return JSON.stringify(parts);
}

/** The key of a fingerprint. */
export function fingerprintKey(project: string, hash: string): string {
  return key(project, hash);
}

/** The crash under its group's fingerprint, the run at which its fingerprint begins, and what to store of its family. */
export function joined<Crash extends Countable>(
  { families, latest, runs }: Pick<State, 'families' | 'latest' | 'runs'>,
  sent: Crash,
) {
  const { project } = sent.event;
  const family = sent.family && key(project, sent.family.name);
  const { crash, groups } = joinFamily(families.get(family ?? '') ?? [], sent);
  const { fingerprint } = crash;
  const earlier = sent.aliases.map((hash) => latest.get(fingerprintKey(project, hash)));
  const entry =
    latest.get(fingerprintKey(project, fingerprint.hash)) ??
    earlier.find((id) => id !== undefined && continues(mustGet({ runs }, id).run.fingerprint, fingerprint));
  return { crash, entry, store: () => family !== undefined && families.set(family, groups) };
}

/** The runs from the given one along merges, and the fingerprint of the last one if it is not the first. */
export function wayFrom(state: Known, entry: string | undefined) {
  const runs: RunRecord[] = [];
  let key: string | null = null;
  for (let next = entry; next !== undefined; ) {
    const found = mustGet(state, next);
    runs.push(found);
    const { merged_into, project, state: now } = found.run;
    if (now !== 'merged' || !merged_into) break;
    key = fingerprintKey(project, mustGet(state, merged_into).run.fingerprint.hash);
    next = state.latest.get(key);
  }
  return { runs, key };
}
