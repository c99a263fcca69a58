import type { GuardTelemetry, LimitTelemetry } from './telemetry.js';

type Labels = Readonly<Record<string, string>>;
interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** Guard telemetry in Prometheus' text format, version 0.0.4. Names and labels are stable. */
export function metricsText(guard: GuardTelemetry): string {
  const { spool, forwarder, limits } = guard;
  const bare = (value: number): Sample[] => [{ labels: {}, value }];
  const perLimit = (value: (limit: LimitTelemetry) => number | null) =>
    limits.flatMap((limit): Sample[] => {
      const found = value(limit);
      return found === null ? [] : [{ labels: labelsOf(limit), value: found }];
    });
  return [
    family('deliveries_total', 'counter', 'Deliveries by door and outcome.', outcomes(guard)),
    family(
      'dropped_total',
      'counter',
      'Parts of deliveries that are no crashes, by kind.',
      Object.entries(guard.dropped).map(([kind, value]) => ({ labels: { kind }, value })),
    ),
    family('crashes_total', 'counter', 'Crashes put into the spool.', bare(guard.crashes)),
    family(
      'limit',
      'gauge',
      'Value of a guard.',
      perLimit(({ value }) => value),
    ),
    family(
      'limit_allowed_total',
      'counter',
      'What a guard let through.',
      perLimit(({ allowed }) => allowed),
    ),
    family(
      'limit_refused_total',
      'counter',
      'What a guard refused.',
      perLimit(({ refused }) => refused),
    ),
    family(
      'limit_active_keys',
      'gauge',
      'Keys a guard counts at the moment.',
      perLimit((l) => l.active_keys),
    ),
    family(
      'limit_largest',
      'gauge',
      'The largest a guard has seen.',
      perLimit(({ largest }) => largest),
    ),
    family('spool_deliveries', 'gauge', 'Deliveries that core has not taken yet.', bare(spool.depth)),
    family('spool_bytes', 'gauge', 'Bytes of deliveries that core has not taken yet.', bare(spool.bytes)),
    family('spool_disk_bytes', 'gauge', 'Bytes of the spool on disk.', bare(spool.disk_bytes)),
    family(
      'spool_oldest_seconds',
      'gauge',
      'Age of the oldest delivery that core has not taken yet.',
      bare((spool.oldest_age_ms ?? 0) / 1_000),
    ),
    family(
      'spool_quarantined',
      'gauge',
      'Damaged stretches of the spool, kept aside.',
      bare(spool.quarantined),
    ),
    family('spool_torn_tails', 'gauge', 'Writes that a crash cut short, kept aside.', bare(spool.torn_tails)),
    family('spool_faulty', 'gauge', '1 while the disk refuses writes.', bare(spool.fault === null ? 0 : 1)),
    family('forwarded_total', 'counter', 'Deliveries that core has taken.', bare(forwarder.sent)),
    family('forward_failures_total', 'counter', 'Batches that core has not taken.', bare(forwarder.failures)),
    family('forwarder_state', 'gauge', '1 for the state that the forwarder is in.', [
      { labels: { state: forwarder.state }, value: 1 },
    ]),
    family('dead_letters', 'gauge', 'Deliveries that core refused as invalid.', bare(guard.dead_letters)),
  ].join('');
}

function outcomes({ outcomes }: GuardTelemetry): Sample[] {
  return Object.entries(outcomes).flatMap(([door, counts]) =>
    Object.entries(counts).map(([outcome, value]) => ({ labels: { door, outcome }, value })),
  );
}

function labelsOf({ name, door }: LimitTelemetry): Labels {
  return door === null ? { limit: name } : { limit: name, door };
}

function family(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  const full = `culprit_edge_${name}`;
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(
      ([label, text]) => `${label}="${text.replace(/["\\\n]/g, '_')}"`,
    );
    return `${full}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`;
}
