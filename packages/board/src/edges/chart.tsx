import { ago } from '../format.js';

interface ChartProps {
  readonly name: string;
  readonly points: readonly { readonly at: number; readonly value: number }[];
  /** True for counters: the chart shows their rate. */
  readonly rate?: boolean;
  readonly format: (value: number) => string;
}

const WIDTH = 240;
const HEIGHT = 48;

/** One figure of the last hour over time. The vertical axis starts at zero. */
export function Chart({ name, points, rate = false, format }: ChartProps) {
  const shown = rate ? perSecond(points) : points;
  const values = shown.map(({ value }) => value);
  const most = Math.max(...values, 0);
  const first = shown[0]?.at ?? 0;
  const last = shown.at(-1)?.at ?? 0;
  const x = (at: number) => (last === first ? WIDTH : ((at - first) / (last - first)) * WIDTH);
  const y = (value: number) => HEIGHT - 2 - (most === 0 ? 0 : (value / most) * (HEIGHT - 6));
  const line = shown.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return (
    <figure class="chart">
      <figcaption>
        {name} <b class="num">{format(values.at(-1) ?? 0)}</b>
      </figcaption>
      <div class="plot">
        <span class="axis-y num" aria-hidden="true">
          <span>{format(most)}</span>
          <span>{most === 0 ? '' : '0'}</span>
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {shown.length > 1 && (
            <>
              <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
              <polyline points={line} vector-effect="non-scaling-stroke" />
            </>
          )}
        </svg>
      </div>
      <p class="axis-x num">
        <span>{shown.length > 1 ? ago(new Date(first).toISOString(), last) : ''}</span>
        <span class="sr">, peak {format(most)}, </span>
        <span>latest report</span>
      </p>
    </figure>
  );
}

/** An edge that restarts counts from zero; such a step is not a rate. */
function perSecond(points: ChartProps['points']): ChartProps['points'] {
  return points.slice(1).map(({ at, value }, index) => {
    const before = points[index];
    const seconds = before === undefined ? 0 : (at - before.at) / 1000;
    const change = before === undefined ? 0 : value - before.value;
    return { at, value: seconds <= 0 ? 0 : Math.max(0, change / seconds) };
  });
}
