import type { Run, RunStatistics } from '@culprit/core';
import { useSignal } from '@preact/signals';
import { exact, plural, whole } from '../format.js';
import { Segments } from '../parts/choices.js';
import { Scroller } from '../parts/scroller.js';
import { Text } from '../parts/text.js';
import { When } from '../parts/when.js';

const WIDTH = 640;
const HEIGHT = 120;

interface CrashChartProps {
  readonly run: Run;
  readonly statistics: RunStatistics;
  readonly now: number;
}

/** Crashes over 24 hours, 7 or 30 days, with the first crash of each release; the same numbers are in a table. */
export function CrashChart({ run, statistics, now }: CrashChartProps) {
  const label = useSignal<keyof typeof RANGES>('24 hours');
  const range = RANGES[label.value];
  const buckets = bucketsOf(statistics.hours, range, now);
  const marks = marksOf(run, statistics, range, now);
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  return (
    <figure class="crash-chart">
      <div class="part-head">
        <figcaption>
          <b class="num">{whole(total)}</b> {total === 1 ? 'crash' : 'crashes'} in {label.value}
        </figcaption>
        <Segments legend="Time range" chosen={label} options={LABELS} />
      </div>
      <Plot buckets={buckets} marks={marks} label={label.value} step={range.step} />
      <p class="axis-x num" aria-hidden="true">
        <span>{exact(new Date(now - range.hours * HOUR_MS).toISOString()).slice(5, 16)}</span>
        <span>now</span>
      </p>
      {marks.length > 0 && <Marks marks={marks} />}
      <Numbers buckets={buckets} />
    </figure>
  );
}

function barHeight(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(3, (count / most) * (HEIGHT - 6));
}

function stepWords(hours: number): string {
  return hours === 1 ? 'an hour' : hours === 24 ? 'a day' : `${hours} hours`;
}

interface PlotProps {
  readonly buckets: readonly Bucket[];
  readonly marks: readonly Mark[];
  readonly label: string;
  readonly step: number;
}

function Plot({ buckets, marks, label, step }: PlotProps) {
  const most = Math.max(0, ...buckets.map(({ count }) => count));
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const width = WIDTH / buckets.length;
  return (
    <div class="plot">
      <span class="axis-y num" aria-hidden="true">
        <span>{whole(Math.max(1, most))}</span>
        <span>0</span>
      </span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${plural(total, 'crash', 'crashes')} in ${label}, at most ${whole(most)} in ${stepWords(step)}`}
      >
        {buckets.map(({ from, count }, at) => (
          <rect
            key={from}
            class="bar"
            x={at * width + width * 0.12}
            y={HEIGHT - barHeight(count, most)}
            width={width * 0.76}
            height={barHeight(count, most)}
          >
            <title>{`${exact(new Date(from).toISOString())}: ${plural(count, 'crash', 'crashes')}`}</title>
          </rect>
        ))}
        {marks.map(({ at, kind }, index) => (
          <line
            key={index}
            class="mark"
            data-kind={kind}
            x1={at * WIDTH}
            x2={at * WIDTH}
            y1={0}
            y2={HEIGHT}
            vector-effect="non-scaling-stroke"
          />
        ))}
      </svg>
    </div>
  );
}

function Marks({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <ol class="chart-marks flow">
      {marks.map(({ kind, words, time }, index) => (
        <li key={index} data-kind={kind}>
          <Text of={words} />{' '}
          <When iso={time} class="soft num">
            {exact(time).slice(5, 16)}
          </When>
        </li>
      ))}
    </ol>
  );
}

function Numbers({ buckets }: { readonly buckets: readonly Bucket[] }) {
  return (
    <details>
      <summary>The same numbers as a table</summary>
      <Scroller class="table tall" label="Crashes by time">
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">Crashes</th>
            </tr>
          </thead>
          <tbody>
            {buckets
              .filter(({ count }) => count > 0)
              .map(({ from, count }) => (
                <tr key={from}>
                  <th scope="row" class="num">
                    {exact(new Date(from).toISOString()).slice(0, 16)}
                  </th>
                  <td class="num">{whole(count)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </Scroller>
    </details>
  );
}

/** A period up to now, divided into steps. Both in hours. */
interface Range {
  readonly hours: number;
  readonly step: number;
}
const RANGES = {
  '24 hours': { hours: 24, step: 1 },
  '7 days': { hours: 168, step: 6 },
  '30 days': { hours: 720, step: 24 },
} as const;
const LABELS = { '24 hours': '24 hours', '7 days': '7 days', '30 days': '30 days' } as const;

interface Bucket {
  /** In ms since 1970. */
  readonly from: number;
  readonly count: number;
}

const HOUR_MS = 3_600_000;

/** Crashes in each step, oldest first; the last step ends with the current hour. */
function bucketsOf(
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
interface Mark {
  /** 0 at the left edge, 1 at the right one. */
  readonly at: number;
  readonly kind: 'release' | 'regression' | 'published';
  readonly words: string;
  readonly time: string;
}

/** Releases marked at most; the latest. */
const MAX_RELEASES = 8;

/** The first crash of each release, the start of a regression, and the publication, if they are in the period. */
function marksOf(
  { regression_of, first_seen, publication }: Run,
  { releases }: RunStatistics,
  { hours }: Range,
  now: number,
): readonly Mark[] {
  const end = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
  const all: Omit<Mark, 'at'>[] = releases
    .slice(-MAX_RELEASES)
    .map(({ name, first_seen: time }) => ({ kind: 'release', words: `First crash in ${name}`, time }));
  if (regression_of !== null) all.push({ kind: 'regression', words: 'Regression', time: first_seen });
  if (publication !== null) {
    const { number, published_at: time } = publication;
    all.push({ kind: 'published', words: `Published as #${number}`, time });
  }
  return all
    .map((mark) => ({ ...mark, at: 1 - (end - Date.parse(mark.time)) / (hours * HOUR_MS) }))
    .filter(({ at }) => at >= 0 && at <= 1)
    .sort((a, b) => a.at - b.at);
}
