import type { RunRecord } from '../domain/run.js';
import type { ChangedPair, DecidedRun, PairChange } from '../ports/run-pairs.js';
import { append, fingerprintKey, mustGet, type State, wayFrom } from './memory-state.js';

/** See `RunStore.changePair`. */
export function changePair(state: State, { run_id, into: other, now, decide }: PairChange): ChangedPair {
  const run = mustGet(state, run_id);
  const otherId = other ?? run.run.merged_into ?? null;
  const into = (otherId === null ? undefined : state.runs.get(otherId)) ?? null;
  const way = ({ run: { project, fingerprint } }: RunRecord) => {
    const latest = state.latest.get(fingerprintKey(project, fingerprint.hash));
    return wayFrom(state, latest).runs.map((one) => one.run.run_id);
  };
  const decided = decide({ run, into, ways: { run: way(run), into: into === null ? [] : way(into) } });
  const put = (before: RunRecord, { run: wanted, history }: DecidedRun): RunRecord => {
    const next = { ...before, run: { ...wanted, version: before.run.version + 1, updated_at: now } };
    state.runs.set(next.run.run_id, next);
    state.quotas.keep(next.run, { project: next.run.project, door: next.run.event.door, key: null });
    append(state, next.run.run_id, history);
    state.emit(next.run);
    return next;
  };
  return {
    run: put(run, decided.run),
    into: into === null || decided.into === null ? into : put(into, decided.into),
  };
}
