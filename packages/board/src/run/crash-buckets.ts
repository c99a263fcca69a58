import type { Run, RunStatistics } from '@culprit/core';

/** A period up to now, divided into steps. Both in hours. */
export interface Range {
  readonly label: string;
  readonly hours: number;
  readonly step: number;
}
const DAY = { label: '24 hours', hours: 24, step: 1 } as const;
export const RANGES: readonly [Range, ...Range[]] = [
  DAY,
  { label: '7 days', hours: 168, step: 6 },
  { label: '30 days', hours: 720, step: 24 },
];

export interface Bucket {
  /** In ms since 1970. */
  readonly from: number;
  readonly count: number;
}

const HOUR_MS = 3_600_000;

/** Crashes in each step, oldest first; the last step ends with the current hour. */
export function bucketsOf(
  hours: RunStatistics['hours'],
  { hours: length, step }: Range,
  now: number,
): readonly Bucket[] {
  const end = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
  const start = end - length * HOUR_MS;
  const counts = new Array<number>(length / step).fill(0);
  for (const { from, occurrences } of hours) {
    const at = Math.floor((Date.parse(from) - start) / (step * HOUR_MS));
    if (at >= 0 && at < counts.length) counts[at] = (counts[at] ?? 0) + occurrences;
  }
  return counts.map((count, at) => ({ from: start + at * step * HOUR_MS, count }));
}

/** A moment on the chart. */
export interface Mark {
  /** 0 at the left edge, 1 at the right one. */
  readonly at: number;
  readonly kind: 'release' | 'regression' | 'published';
  readonly words: string;
  readonly time: string;
}

/** Releases marked at most; the latest. */
const MOST_RELEASES = 8;

/** The first crash of each release, the start of a regression, and the publication, if they are in the period. */
export function marksOf(
  { regression_of, first_seen, publication }: Run,
  { releases }: RunStatistics,
  { hours }: Range,
  now: number,
): readonly Mark[] {
  const end = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
  const all = [
    ...releases.slice(-MOST_RELEASES).map(({ name, first_seen: time }) => {
      return { kind: 'release' as const, words: `First crash in ${name}`, time };
    }),
    ...(regression_of === null
      ? []
      : [{ kind: 'regression' as const, words: 'Regression', time: first_seen }]),
    ...(publication === null
      ? []
      : [
          {
            kind: 'published' as const,
            words: `Published as #${publication.number}`,
            time: publication.published_at,
          },
        ]),
  ];
  return all
    .map((mark) => ({ ...mark, at: 1 - (end - Date.parse(mark.time)) / (hours * HOUR_MS) }))
    .filter(({ at }) => at >= 0 && at <= 1)
    .sort((a, b) => a.at - b.at);
}
