import type { GuardTelemetry, LimitTelemetry } from './telemetry.js';

type Labels = Readonly<Record<string, string>>;
interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** Guard telemetry in Prometheus' text format, version 0.0.4. Names and labels are stable. */
export function metricsText(guard: GuardTelemetry): string {
  const dropped = Object.entries(guard.dropped).map(([kind, value]) => ({ labels: { kind }, value }));
  return [
    family('deliveries_total', 'counter', 'Deliveries by door and outcome.', outcomes(guard)),
    family('dropped_total', 'counter', 'Parts of deliveries that are no crashes, by kind.', dropped),
    single('crashes_total', 'counter', 'Crashes put into the spool.', guard.crashes),
    ...limitFamilies(guard),
    ...spoolFamilies(guard),
    ...forwarderFamilies(guard),
    single('dead_letters', 'gauge', 'Deliveries that core refused as invalid.', guard.dead_letters),
    single('process_resident_bytes', 'gauge', 'Memory of the edge.', process.memoryUsage.rss()),
  ].join('');
}

function limitFamilies({ limits }: GuardTelemetry): string[] {
  const perLimit = (value: (limit: LimitTelemetry) => number | null) =>
    limits.flatMap((limit): Sample[] => {
      const found = value(limit);
      return found === null ? [] : [{ labels: labelsOf(limit), value: found }];
    });
  const [value, configured] = [perLimit((limit) => limit.value), perLimit((limit) => limit.configured)];
  const [allowed, refused] = [perLimit((limit) => limit.allowed), perLimit((limit) => limit.refused)];
  return [
    family('limit', 'gauge', 'Value of a guard.', value),
    family('limit_configured', 'gauge', 'That value unless an operator changes it.', configured),
    family('limit_allowed_total', 'counter', 'What a guard let through.', allowed),
    family('limit_refused_total', 'counter', 'What a guard refused.', refused),
    family(
      'limit_active_keys',
      'gauge',
      'Keys a guard counts at the moment.',
      perLimit(({ active_keys }) => active_keys),
    ),
    family(
      'limit_largest',
      'gauge',
      'The largest a guard has seen.',
      perLimit(({ largest }) => largest),
    ),
  ];
}

function spoolFamilies({ spool }: GuardTelemetry): string[] {
  const gauge = (name: string, help: string, value: number) => single(`spool_${name}`, 'gauge', help, value);
  return [
    gauge('deliveries', 'Deliveries that core has not taken yet.', spool.depth),
    gauge('bytes', 'Bytes of deliveries that core has not taken yet.', spool.bytes),
    gauge('disk_bytes', 'Bytes of the spool on disk.', spool.disk_bytes),
    gauge(
      'oldest_seconds',
      'Age of the oldest delivery that core has not taken yet.',
      (spool.oldest_age_ms ?? 0) / 1_000,
    ),
    gauge('largest_deliveries', 'The most that ever waited.', spool.largest_depth),
    gauge('largest_bytes', 'The most bytes there ever were on disk.', spool.largest_bytes),
    gauge('last_sequence', 'Number of the last delivery.', spool.last_sequence),
    gauge('acknowledged', 'Number up to which core has all.', spool.acknowledged),
    gauge('quarantined', 'Damaged stretches of the spool, kept aside.', spool.quarantined),
    gauge('torn_tails', 'Writes that a crash cut short, kept aside.', spool.torn_tails),
    gauge('faulty', '1 while the disk refuses writes.', spool.fault === null ? 0 : 1),
  ];
}

function forwarderFamilies({ forwarder }: GuardTelemetry): string[] {
  const { state, circuit } = forwarder;
  return [
    single('forwarded_total', 'counter', 'Deliveries that core has taken.', forwarder.sent),
    single('forward_failures_total', 'counter', 'Batches that core has not taken.', forwarder.failures),
    family('forwarder_state', 'gauge', '1 for the state that the forwarder is in.', [
      { labels: { state }, value: 1 },
    ]),
    single(
      'forwarder_circuit_open',
      'gauge',
      '1 while core is only asked whether it is back.',
      circuit === 'open' ? 1 : 0,
    ),
  ];
}

const single = (name: string, type: 'counter' | 'gauge', help: string, value: number) =>
  family(name, type, help, [{ labels: {}, value }]);

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
