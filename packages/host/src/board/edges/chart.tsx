interface ChartProps {
  readonly name: string;
  readonly points: readonly { readonly at: number; readonly value: number }[];
  /** True for counters: the chart shows their rate. */
  readonly rate?: boolean;
  readonly format: (value: number) => string;
}

const WIDTH = 240;
const HEIGHT = 48;

/** One figure since the page was opened. */
export function Chart({ name, points, rate = false, format }: ChartProps) {
  const values = rate ? perSecond(points) : points.map(({ value }) => value);
  const most = Math.max(...values, 0);
  const last = values.at(-1) ?? 0;
  const x = (index: number) => (values.length < 2 ? WIDTH : (index / (values.length - 1)) * WIDTH);
  const y = (value: number) => HEIGHT - 2 - (most === 0 ? 0 : (value / most) * (HEIGHT - 6));
  const line = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return (
    <figure class="chart">
      <figcaption>
        {name} <b class="num">{format(last)}</b>
        <span class="soft num"> peak {format(most)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {values.length > 1 && (
          <>
            <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
            <polyline points={line} vector-effect="non-scaling-stroke" />
          </>
        )}
      </svg>
    </figure>
  );
}

/** An edge that restarts counts from zero; such a step is not a rate. */
function perSecond(points: ChartProps['points']): readonly number[] {
  return points.slice(1).map(({ at, value }, index) => {
    const before = points[index];
    const seconds = before === undefined ? 0 : (at - before.at) / 1000;
    return before === undefined || seconds <= 0 ? 0 : Math.max(0, (value - before.value) / seconds);
  });
}
