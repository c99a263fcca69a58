import type { Event } from '../domain/event.js';
import {
  addCounts,
  differenceOf,
  excessOf,
  keptCounts,
  type QuotaCounts,
  type QuotaExcess,
  type QuotaOwner,
  REFUSED_COUNTS,
  scopesOfOwner,
  startedCounts,
} from '../domain/quota.js';
import { trustMix } from '../domain/source.js';
import type { Trust } from '../domain/trust.js';
import type { Occurrence, RecordBatch } from '../ports/run-store.js';
import { keys } from './keys.js';
import { EMPTY_LOG, type EventToKeep, putEvents, withEvents } from './occurrence-log.js';
import { isNothing, quotaLedger } from './quota-ledger.js';
import { countsOfHead, encode, keptOf, ownerOf, type RunHead } from './run-parts.js';
import type { Transaction } from './writer.js';

/** The quotas of one batch: which occurrences may start a run, and what the runs count as afterwards. */
export interface BatchQuotas {
  /** Counts a run that the occurrence starts; or, beyond a quota, the refusal, and returns the quota. */
  start(occurrence: Occurrence): Promise<QuotaExcess | null>;
  /**
   * Stores a run's event, unless a larger one would exceed a quota; then the stored event stays. Likewise the further events.
   * Returns the head with what is stored and what it counts as.
   */
  keep(before: RunHead | null, head: RunHead, fresh: FreshEvents): Promise<RunHead>;
  /** The event as it is stored. */
  textOf(event: Event): string;
  /** Call once, last. */
  write(): void;
}

/** The first trusted event replaces what untrusted ones have said, regardless of its size. */
function takesOver({ run }: RunHead, trust: Trust): boolean {
  return trust === 'trusted' && trustMix(run).kind === 'untrusted';
}

/** The event that a run shows from now on, as it is stored; `null`: the stored one stays. And events to keep beside it. */
export interface FreshEvents {
  readonly shown: (EventToKeep & { readonly trust: Trust }) | null;
  readonly further: readonly EventToKeep[];
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
    async keep(before, head, { shown, further }) {
      const { run, tombstone, log = EMPTY_LOG } = head;
      if (tombstone) return head;
      const place = keys.event(run.run_id);
      const fresh = started.get(run.run_id);
      const owner = fresh?.owner ?? ownerOf(head);
      const counted = fresh?.counts ?? countsOfHead(before);
      const tryToKeep = async (events: readonly EventToKeep[], always: boolean): Promise<RunHead | null> => {
        if (shown === null) return null;
        const next = withEvents({ ...log, shown: shown.number }, events);
        const kept = keptOf(owner, shown.text, next.log);
        const more = differenceOf(keptCounts(run.state, kept.bytes), counted);
        if (!isNothing(more)) await ledger.load(owner);
        if (!always && !fits(owner, more)) return null;
        if (!isNothing(more)) ledger.add(owner, more, quotas);
        tx.put(place, shown.text);
        putEvents(tx, run.run_id, events, next.dropped);
        return { ...head, kept, log: next.log };
      };
      const needed = before === null || (shown !== null && takesOver(before, shown.trust));
      const stored =
        (further.length > 0 ? await tryToKeep(further, false) : null) ?? (await tryToKeep([], needed));
      if (stored !== null) return stored;
      if (head.kept !== undefined) return head;
      // Written by an older version.
      const [text = ''] = await tx.getMany([place]);
      const kept = keptOf(owner, text, log);
      await ledger.load(owner);
      ledger.add(owner, keptCounts(run.state, kept.bytes));
      return { ...head, kept };
    },
    textOf,
    write: ledger.write,
  };
}
