import type { Quota, QuotaCounts } from '@culprit/core/internal/domain/quota';

/** Counts as they are stored. */
export interface StoredCounts {
  readonly counts: QuotaCounts;
  /** The quota under which they were raised; `null` if under none. A shared store refuses a write beyond it. */
  readonly most: Quota | null;
}

/** `<new runs> <hour> <open runs> <bytes> <refused>`, then the quota: `<new runs> <open runs> <bytes>`. */
export function textOfCounts({ counts, most }: StoredCounts): string {
  const { new_runs, hour, open_runs, bytes, refused } = counts;
  const numbers = [new_runs, hour, open_runs, bytes, refused];
  if (most !== null) numbers.push(most.new_runs, most.open_runs, most.bytes);
  return numbers.join(' ');
}

export function countsOfText(text: string): StoredCounts {
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
