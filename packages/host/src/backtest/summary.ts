import type { CaseResult, CaseSource, Skipped } from './run-case.js';

/** A share of cases with its 95 % interval (Wilson). */
export interface Share {
  readonly right: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

export interface Group {
  readonly name: CaseSource | 'all';
  readonly cases: number;
  readonly first: Share;
  readonly firstFive: Share;
  readonly newest: Share;
}

export interface Backtest {
  readonly repository: string;
  /** All that were found, also those that gave no case. */
  readonly fixes: number;
  /** All, without reverts: the lines of a revert are the culprit's own. */
  readonly headline: Group;
  readonly groups: readonly Group[];
  /** Cases whose first suspect had the verdict `likely` or better. */
  readonly likely: Share;
  readonly skipped: Readonly<Record<Skipped, number>>;
  readonly cases: readonly CaseResult[];
}

const SOURCES = ['trace', 'fix', 'revert'] as const;
const Z = 1.96;

export function summarise(repository: string, results: readonly (CaseResult | Skipped)[]): Backtest {
  const cases = results.filter((one): one is CaseResult => typeof one !== 'string');
  const count = (why: Skipped) => results.filter((one) => one === why).length;
  const surer = cases.filter(({ suspects }) => suspects[0] !== undefined && suspects[0].verdict !== 'recent');
  return {
    repository,
    fixes: results.length,
    headline: groupOf(
      'all',
      cases.filter(({ source }) => source !== 'revert'),
    ),
    groups: SOURCES.map((name) =>
      groupOf(
        name,
        cases.filter(({ source }) => source === name),
      ),
    ),
    likely: shareOf(surer.filter(({ place }) => place === 1).length, surer.length),
    skipped: {
      no_code_changed: count('no_code_changed'),
      no_place_found: count('no_place_found'),
      failed: count('failed'),
    },
    cases,
  };
}

function groupOf(name: Group['name'], cases: readonly CaseResult[]): Group {
  const share = (right: (one: CaseResult) => boolean) => shareOf(cases.filter(right).length, cases.length);
  return {
    name,
    cases: cases.length,
    first: share(({ place }) => place === 1),
    firstFive: share(({ place }) => place !== null),
    newest: share(({ newestIsRight }) => newestIsRight),
  };
}

export function shareOf(right: number, of: number): Share {
  if (of === 0) return { right, of, low: 0, high: 1 };
  const share = right / of;
  const middle = (share + (Z * Z) / (2 * of)) / (1 + (Z * Z) / of);
  const margin = (Z * Math.sqrt((share * (1 - share)) / of + (Z * Z) / (4 * of * of))) / (1 + (Z * Z) / of);
  return { right, of, low: Math.max(0, middle - margin), high: Math.min(1, middle + margin) };
}

/** `54 % (13 of 24)`. */
export function shareText({ right, of }: Share): string {
  return of === 0 ? 'none' : `${Math.round((right / of) * 100)} % (${right} of ${of})`;
}

export const GROUP_TITLES: Readonly<Record<Group['name'], string>> = {
  all: 'All but reverts',
  trace: 'Stack traces in messages',
  fix: 'Lines that a fix changed',
  revert: 'Lines that a revert changed',
};
