import {
  addCounts,
  limitExceeded,
  NO_COUNTS,
  type Quota,
  type QuotaCounts,
  type QuotaOwner,
  type QuotaSubject,
  type Quotas,
  type QuotaUsage,
  scopesOfOwner,
} from '../domain/quota.js';
import { type Reads, walkList } from './key-value.js';
import { keys } from './keys.js';
import { decode, encode } from './run-parts.js';
import type { Transaction } from './writer.js';

/** What one write adds to the counts of keys, doors and projects. */
export interface QuotaLedger {
  /** Reads the counts of the owner's scopes; call before {@link QuotaLedger.countsOf} and {@link QuotaLedger.add}. */
  load(owner: QuotaOwner): Promise<void>;
  /** The counts with what this write has added. */
  countsOf(subject: QuotaSubject): QuotaCounts;
  /** `quotas`: a shared store must not store more than they allow, no matter what other processes add. */
  add(owner: QuotaOwner, more: QuotaCounts, quotas?: Quotas): void;
  /** Writes the counts. Call once, last. */
  write(): void;
}

interface Line {
  readonly subject: QuotaSubject;
  readonly stored: StoredCounts | null;
  more: QuotaCounts;
  quotas: Quotas | undefined;
}

const NOTHING: StoredCounts = { counts: NO_COUNTS, most: null };

export function quotaLedger(tx: Transaction): QuotaLedger {
  const lines = new Map<string, Line>();
  const lineOf = (subject: QuotaSubject) => lines.get(keys.quota(subject));
  const countsOf = (subject: QuotaSubject) => {
    const line = lineOf(subject);
    return addCounts(line?.stored?.counts ?? NO_COUNTS, line?.more ?? NO_COUNTS);
  };
  return {
    async load(owner) {
      const missing = scopesOfOwner(owner).filter((subject) => lineOf(subject) === undefined);
      if (missing.length === 0) return;
      const texts = await tx.getMany(missing.map(keys.quota));
      for (const [at, subject] of missing.entries()) {
        const text = texts[at];
        const stored = text === undefined ? null : countsOfText(text);
        lines.set(keys.quota(subject), { subject, stored, more: NO_COUNTS, quotas: undefined });
      }
    },
    countsOf,
    add(owner, more, quotas) {
      for (const subject of scopesOfOwner(owner)) {
        const line = lineOf(subject);
        if (line === undefined) throw new Error('the counts were not loaded');
        line.more = addCounts(line.more, more);
        line.quotas ??= quotas;
      }
    },
    write() {
      for (const [key, { subject, stored, more, quotas }] of lines) {
        if (isNothing(more)) continue;
        if (stored === null) tx.put(keys.quotaSubject(subject), encode(subject));
        const counts = countsOf(subject);
        const quota = quotas?.[subject.scope] ?? (stored ?? NOTHING).most;
        // Counts beyond a quota that was lowered, or of a known run's larger event, are not held to it.
        const most = quota === null || limitExceeded(counts, quota) !== null ? null : quota;
        tx.put(key, textOfCounts({ counts, most }));
      }
    },
  };
}

/** Adds to the counts of one owner in a write that does nothing else with them. */
export async function addToQuota(tx: Transaction, owner: QuotaOwner, more: QuotaCounts): Promise<void> {
  if (isNothing(more)) return;
  const ledger = quotaLedger(tx);
  await ledger.load(owner);
  ledger.add(owner, more);
  ledger.write();
}

export function isNothing({ new_runs, open_runs, bytes, refused }: QuotaCounts): boolean {
  return new_runs === 0 && open_runs === 0 && bytes === 0 && refused === 0;
}

/** Every key, door and project that has stored or sent more than allowed. */
export async function quotaSubjects(reads: Reads): Promise<readonly QuotaSubject[]> {
  const subjects: QuotaSubject[] = [];
  for await (const found of walkList(reads, keys.activity('quota', '')))
    for (const [, text] of found) subjects.push(decode<QuotaSubject>(text, 'quota'));
  return subjects;
}

export async function quotaUsage(reads: Reads): Promise<readonly QuotaUsage[]> {
  const subjects = await quotaSubjects(reads);
  const texts = subjects.length === 0 ? [] : await reads.getMany(subjects.map(keys.quota));
  return subjects.map((subject, at) => ({ ...subject, counts: countsOfText(texts[at] ?? '0').counts }));
}

/** Counts as they are stored. */
interface StoredCounts {
  readonly counts: QuotaCounts;
  /** The quota under which they were raised; `null` if under none. A shared store refuses a write beyond it. */
  readonly most: Quota | null;
}

/** `<new runs> <hour> <open runs> <bytes> <refused>`, then the quota: `<new runs> <open runs> <bytes>`. */
function textOfCounts({ counts, most }: StoredCounts): string {
  const { new_runs, hour, open_runs, bytes, refused } = counts;
  const numbers = [new_runs, hour, open_runs, bytes, refused];
  if (most !== null) numbers.push(most.new_runs, most.open_runs, most.bytes);
  return numbers.join(' ');
}

function countsOfText(text: string): StoredCounts {
  const [new_runs = 0, hour = 0, open_runs = 0, bytes = 0, refused = 0, ...quota] = text
    .split(' ')
    .map(Number);
  const [mostNew, mostOpen = 0, mostBytes = 0] = quota;
  return {
    counts: { new_runs, hour, open_runs, bytes, refused },
    most: mostNew === undefined ? null : { new_runs: mostNew, open_runs: mostOpen, bytes: mostBytes },
  };
}

/** What a write adds to stored counts, in the same form. Other processes may have added to them meanwhile. */
export function addedText(before: string | undefined, after: string): string {
  const was = countsOfText(before ?? '0');
  const { counts, most } = countsOfText(after);
  const sameHour = was.counts.hour === counts.hour;
  return textOfCounts({
    counts: {
      new_runs: sameHour ? counts.new_runs - was.counts.new_runs : counts.new_runs,
      hour: counts.hour,
      open_runs: counts.open_runs - was.counts.open_runs,
      bytes: counts.bytes - was.counts.bytes,
      refused: counts.refused - was.counts.refused,
    },
    most,
  });
}
