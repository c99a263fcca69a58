import {
  addCounts,
  differenceOf,
  keptCounts,
  NO_COUNTS,
  type QuotaCounts,
  type QuotaOwner,
  type QuotaSubject,
  type Quotas,
  type QuotaUsage,
  scopesOfOwner,
} from '../domain/quota.js';
import type { Run } from '../domain/run.js';

/** The quota counts of {@link memoryStorage}. */
export interface MemoryQuotas {
  countsOf(subject: QuotaSubject): QuotaCounts;
  add(owner: QuotaOwner, counts: QuotaCounts): void;
  /** Whether the event that a stored run now has is within the quotas of bytes, with `further` bytes of its other events. */
  fits(run: Run, further: number, quotas: Quotas | undefined): boolean;
  /** Counts a run as it is now. `owner` is that of its first occurrence. `further` absent: its other events are the same. */
  keep(run: Run, owner: QuotaOwner, further?: number): void;
  usage(): readonly QuotaUsage[];
}

export function memoryQuotas(): MemoryQuotas {
  const used = new Map<string, QuotaUsage>();
  const kept = new Map<
    string,
    { readonly owner: QuotaOwner; readonly counts: QuotaCounts; readonly further: number }
  >();
  const name = ({ scope, project, door, key }: QuotaSubject) => JSON.stringify([scope, project, door, key]);
  const countsOf = (subject: QuotaSubject) => used.get(name(subject))?.counts ?? NO_COUNTS;
  const add = (owner: QuotaOwner, more: QuotaCounts) => {
    for (const subject of scopesOfOwner(owner))
      used.set(name(subject), { ...subject, counts: addCounts(countsOf(subject), more) });
  };
  const countsOfRun = ({ state, event }: Run, further: number) =>
    keptCounts(state, Buffer.byteLength(JSON.stringify(event)) + further);
  return {
    countsOf,
    add,
    fits(run, further, quotas) {
      const before = kept.get(run.run_id);
      if (before === undefined || quotas === undefined) return true;
      const more = differenceOf(countsOfRun(run, further), before.counts);
      const within = (subject: QuotaSubject) =>
        addCounts(countsOf(subject), more).bytes <= quotas[subject.scope].bytes;
      return more.bytes <= 0 || scopesOfOwner(before.owner).every(within);
    },
    keep(run, first, now) {
      const before = kept.get(run.run_id);
      const owner = before?.owner ?? first;
      const further = now ?? before?.further ?? 0;
      const counts = countsOfRun(run, further);
      add(owner, differenceOf(counts, before?.counts ?? NO_COUNTS));
      kept.set(run.run_id, { owner, counts, further });
    },
    usage: () => [...used.values()],
  };
}
