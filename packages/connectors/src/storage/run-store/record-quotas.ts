import {
  type Event,
  type Occurrence,
  type QuotaCounts,
  type QuotaExcess,
  type QuotaOwner,
  type RecordBatch,
  trustOf,
} from '@culprit/core';
import {
  addCounts,
  differenceOf,
  excessOf,
  keptCounts,
  REFUSED_COUNTS,
  scopesOfOwner,
  startedCounts,
  trustMix,
} from '@culprit/core/model';
import { keys } from './keys.js';
import { isNothing, quotaLedger } from './quota-ledger.js';
import { countsOfHead, encode, type Kept, keptOf, ownerOf, type RunHead } from './run-parts.js';
import type { Transaction } from './writer.js';

/** The quotas of one batch: which occurrences may start a run, and what the runs count as afterwards. */
export interface BatchQuotas {
  /** Counts a run that the occurrence starts; or, beyond a quota, the refusal, and returns the quota. */
  start(occurrence: Occurrence): Promise<QuotaExcess | null>;
  /** Stores a run's event, unless a larger one would exceed a quota; then the stored event stays. Returns what it counts as. */
  keep(before: RunHead | null, head: RunHead, event: Event | null): Promise<Kept | undefined>;
  /** Call once, last. */
  write(): void;
}

/** The first trusted event replaces what untrusted ones have said, whatever its size. */
function takesOver({ run }: RunHead, event: Event): boolean {
  return trustOf(event) === 'trusted' && trustMix(run).kind === 'untrusted';
}

export function batchQuotas(tx: Transaction, { now, policy: { quotas } }: RecordBatch): BatchQuotas {
  const ledger = quotaLedger(tx);
  /** Runs that the batch starts. */
  const started = new Map<string, { readonly owner: QuotaOwner; readonly counts: QuotaCounts }>();
  const texts = new WeakMap<Event, string>();
  const textOf = (event: Event) => {
    const text = texts.get(event) ?? encode(event);
    texts.set(event, text);
    return text;
  };
  const fits = (owner: QuotaOwner, more: QuotaCounts) =>
    quotas === undefined ||
    more.bytes <= 0 ||
    scopesOfOwner(owner).every(
      (subject) => addCounts(ledger.countsOf(subject), more).bytes <= quotas[subject.scope].bytes,
    );
  return {
    async start({ event, key, candidate_run_id }) {
      const owner: QuotaOwner = { project: event.project, door: event.door, key };
      const eventBytes = Buffer.byteLength(textOf(event));
      await ledger.load(owner);
      const excess = quotas && excessOf(owner, { now, eventBytes }, quotas, ledger.countsOf);
      if (excess) {
        ledger.add(owner, REFUSED_COUNTS);
        return excess;
      }
      const counts = keptCounts('staged_raw', eventBytes);
      ledger.add(owner, addCounts(counts, startedCounts(now)), quotas);
      started.set(candidate_run_id, { owner, counts });
      return null;
    },
    async keep(before, head, event) {
      const { run, tombstone } = head;
      if (tombstone) return undefined;
      const place = keys.event(run.run_id);
      const fresh = started.get(run.run_id);
      const owner = fresh?.owner ?? ownerOf(head);
      const counted = fresh?.counts ?? countsOfHead(before);
      if (event !== null) {
        const kept = keptOf(owner, textOf(event));
        const more = differenceOf(keptCounts(run.state, kept.bytes), counted);
        if (!isNothing(more)) await ledger.load(owner);
        if (before === null || takesOver(before, event) || fits(owner, more)) {
          tx.put(place, textOf(event));
          if (!isNothing(more)) ledger.add(owner, more, quotas);
          return kept;
        }
      }
      if (head.kept !== undefined) return head.kept;
      // Written by an older version.
      const [stored = ''] = await tx.getMany([place]);
      const kept = keptOf(owner, stored);
      await ledger.load(owner);
      ledger.add(owner, keptCounts(run.state, kept.bytes));
      return kept;
    },
    write: ledger.write,
  };
}
