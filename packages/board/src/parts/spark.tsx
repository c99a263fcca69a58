import { whole } from '../format.js';

interface SparkProps {
  /** Oldest first. */
  readonly values: readonly number[];
  readonly width?: number;
  readonly height?: number;
  readonly unit: string;
}

/** A bar chart of hourly counts, summarised for screen readers. */
export function Spark({ values, width = 72, height = 16, unit }: SparkProps) {
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  const total = values.reduce((sum, value) => sum + value, 0);
  return (
    <svg
      class="spark"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${whole(total)} ${unit}, peak ${whole(Math.max(0, ...values))} per hour`}
    >
      {values.map((value, index) => {
        const tall = value === 0 ? 1.5 : Math.max(3, (value / most) * height);
        return (
          <rect
            key={index}
            class={index === values.length - 1 ? 'now' : undefined}
            x={index * step}
            y={height - tall}
            width={Math.max(1, step - 1)}
            height={tall}
            rx={0.75}
            fill="currentColor"
          />
        );
      })}
    </svg>
  );
}
