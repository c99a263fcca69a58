import { type Unrated, VERDICT_AT, type Verdict } from '../../domain/verdict.js';

/** What a verdict was measured on: `docs/accuracy.md`, *Verdicts*. Fitted again only together with the ranking. */
interface VerdictRow {
  readonly verdict: Verdict;
  /** Minimum probability. */
  readonly from: number;
  /** Maximum age of the suspect at the crash. */
  readonly days: number;
  /** Minimum number of commits, merges not counted, that the history has up to the crash. At most 100 are counted. */
  readonly commits: number;
  /** The probability is too high there, although the verdict holds, so it is not shown. */
  readonly unrated?: Unrated;
}

const FEW = { code: 'few_commits', commits: 100 } as const;

/** The most certain first; a candidate gets the first row that it meets. */
const VERDICT_ROWS: readonly VerdictRow[] = [
  { verdict: 'auto', from: VERDICT_AT.auto, days: 180, commits: 100 },
  { verdict: 'likely', from: VERDICT_AT.likely, days: 180, commits: 100 },
  { verdict: 'likely', from: VERDICT_AT.auto, days: 180, commits: 30, unrated: FEW },
];

export interface VerdictFacts {
  readonly probability: number;
  readonly ageDays: number;
  /** Commits known before the crash, at most 100. */
  readonly commits: number;
  /** What makes any verdict impossible: the clone is shallow, or other code was analysed. */
  readonly unrated: Unrated | null;
  /** The rule for native crashes is right too rarely for a verdict. */
  readonly native: boolean;
}

export interface Rated {
  readonly verdict: Verdict;
  readonly unrated?: Unrated;
}

export function rated(facts: VerdictFacts): Rated {
  const { probability, ageDays, commits, unrated, native } = facts;
  if (unrated !== null) return { verdict: 'recent', unrated };
  if (native) return { verdict: 'recent' };
  const sure = VERDICT_ROWS.filter(({ from }) => probability >= from);
  const row = sure.find((one) => ageDays <= one.days && commits >= one.commits);
  if (row !== undefined) {
    const { verdict, unrated: why } = row;
    return why === undefined ? { verdict } : { verdict, unrated: why };
  }
  const [wanted] = sure;
  if (wanted !== undefined && ageDays > wanted.days)
    return { verdict: 'recent', unrated: { code: 'old_change', days: wanted.days } };
  // No probability was measured in a small repository, low ones included. Low ones of old changes were: docs/accuracy.md.
  return commits < FEW.commits ? { verdict: 'recent', unrated: FEW } : { verdict: 'recent' };
}
