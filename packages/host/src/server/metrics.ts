/** Counters and gauges in Prometheus text format. */
export interface Metrics {
  count(name: MetricName, labels: Readonly<Record<string, string | number>>): void;
  /** Called for each scrape. */
  gauge(name: GaugeName, read: () => number): void;
  text(): string;
}

const COUNTERS = {
  culprit_deliveries_total: 'Deliveries recorded by core, by outcome.',
  culprit_quota_refused_total: 'New crashes that started no run, by project and the quota that was used up.',
  culprit_http_requests_total: 'Requests answered by core, by route, method and status.',
} as const;
const GAUGES = {
  culprit_live_sockets: 'Open live feeds.',
  culprit_process_resident_bytes: 'Resident memory of the core process in bytes.',
  culprit_process_uptime_seconds: 'Seconds since core started.',
} as const;
export type MetricName = keyof typeof COUNTERS;
export type GaugeName = keyof typeof GAUGES;

export function createMetrics(): Metrics {
  const counts = new Map<MetricName, Map<string, number>>();
  const gauges = new Map<GaugeName, () => number>();
  return {
    count(name, labels) {
      const series = counts.get(name) ?? new Map<string, number>();
      counts.set(name, series);
      const key = printLabels(labels);
      series.set(key, (series.get(key) ?? 0) + 1);
    },
    gauge(name, read) {
      gauges.set(name, read);
    },
    text() {
      const lines: string[] = [];
      for (const name of Object.keys(COUNTERS) as MetricName[]) {
        lines.push(`# HELP ${name} ${COUNTERS[name]}`, `# TYPE ${name} counter`);
        for (const [labels, value] of counts.get(name) ?? []) lines.push(`${name}${labels} ${value}`);
      }
      for (const [name, read] of gauges) {
        lines.push(`# HELP ${name} ${GAUGES[name]}`, `# TYPE ${name} gauge`, `${name} ${read()}`);
      }
      return `${lines.join('\n')}\n`;
    },
  };
}

function printLabels(labels: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const text = String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    return `${name}="${text}"`;
  });
  return `{${pairs.join(',')}}`;
}
