import type { RequestHead, Route } from '../http/message.js';
import { jsonResponse, problemResponse } from '../http/problem-response.js';
import type { GuardTelemetry, LimitTelemetry } from './guards/guard-telemetry.js';
import type { Spool } from './spool/spool.js';

export interface ProbeParts {
  readonly spool: Spool;
  readonly telemetry: () => GuardTelemetry;
  /** Throws unless the request may read the figures. */
  readonly access: (head: RequestHead) => void;
}

/**
 * Liveness, readiness and guard figures. Ready means that the next delivery can be written to disk; core may be down.
 */
export function probeRoutes({ spool, telemetry, access }: ProbeParts): Route[] {
  const figures = (pattern: string, handle: Route['handle']): Route => ({
    method: 'GET',
    pattern,
    admit: (head) => {
      try {
        access(head);
        return null;
      } catch (error) {
        return problemResponse(error);
      }
    },
    handle,
  });
  const noStore = { 'cache-control': 'no-store' };
  return [
    { method: 'GET', pattern: '/healthz', handle: () => jsonResponse(200, { status: 'ok' }, noStore) },
    {
      method: 'GET',
      pattern: '/readyz',
      handle: async () => {
        const { ready, detail } = await spool.readiness();
        return jsonResponse(ready ? 200 : 503, { status: ready ? 'ready' : 'unready', detail }, noStore);
      },
    },
    figures('/api/v1/guard', () => jsonResponse(200, telemetry(), noStore)),
    figures('/metrics', () => ({
      status: 200,
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', ...noStore },
      body: metricsText(telemetry()),
    })),
  ];
}

type Labels = Readonly<Record<string, string>>;
interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** Guard telemetry in Prometheus' text format, version 0.0.4. Names and labels are stable. */
function metricsText(guard: GuardTelemetry): string {
  const dropped = Object.entries(guard.dropped).map(([kind, value]) => ({ labels: { kind }, value }));
  return [
    family('deliveries_total', 'counter', 'Deliveries by door and outcome.', outcomes(guard)),
    family('dropped_total', 'counter', 'Parts of deliveries that are not crashes, by kind.', dropped),
    single('crashes_total', 'counter', 'Crashes stored in the spool.', guard.crashes),
    ...limitFamilies(guard),
    ...spoolFamilies(guard),
    ...forwarderFamilies(guard),
    single('dead_letters', 'gauge', 'Deliveries that core rejected as invalid.', guard.dead_letters),
    family('http_driver', 'gauge', '1 for what serves HTTP: uws (uWebSockets.js) or node (node:http).', [
      { labels: { driver: guard.http_driver ?? 'none' }, value: 1 },
    ]),
    single('process_resident_bytes', 'gauge', 'Memory of the edge.', process.memoryUsage.rss()),
  ].join('');
}

const LIMIT_FAMILIES: readonly [string, 'counter' | 'gauge', string, keyof LimitTelemetry][] = [
  ['limit', 'gauge', 'Value of a guard.', 'value'],
  ['limit_configured', 'gauge', 'The configured value, before changes by an operator.', 'configured'],
  ['limit_allowed_total', 'counter', 'Requests or events that a guard allowed.', 'allowed'],
  ['limit_refused_total', 'counter', 'Requests or events that a guard refused.', 'refused'],
  ['limit_active_keys', 'gauge', 'Keys that a guard currently tracks.', 'active_keys'],
  ['limit_largest', 'gauge', 'The peak that a guard has seen.', 'largest'],
];

function limitFamilies({ limits }: GuardTelemetry): string[] {
  return LIMIT_FAMILIES.map(([name, type, help, member]) => {
    const samples = limits.flatMap((limit): Sample[] => {
      const value = limit[member];
      return typeof value === 'number' ? [{ labels: labelsOf(limit), value }] : [];
    });
    return family(name, type, help, samples);
  });
}

function spoolFamilies({ spool }: GuardTelemetry): string[] {
  const gauge = (name: string, help: string, value: number) => single(`spool_${name}`, 'gauge', help, value);
  return [
    gauge('deliveries', 'Deliveries that core has not accepted yet.', spool.depth),
    gauge('bytes', 'Bytes of deliveries that core has not accepted yet.', spool.bytes),
    gauge('disk_bytes', 'Bytes of the spool on disk.', spool.disk_bytes),
    gauge(
      'oldest_seconds',
      'Age of the oldest delivery that core has not accepted yet.',
      (spool.oldest_age_ms ?? 0) / 1_000,
    ),
    gauge('largest_deliveries', 'Peak number of deliveries in the queue.', spool.largest_depth),
    gauge('largest_bytes', 'Peak bytes on disk.', spool.largest_bytes),
    gauge('last_sequence', 'Sequence number of the last delivery.', spool.last_sequence),
    gauge('acknowledged', 'Sequence number up to which core has acknowledged.', spool.acknowledged),
    gauge('quarantined', 'Damaged parts of the spool, moved to the quarantine.', spool.quarantined),
    gauge('torn_tails', 'Incomplete writes after a crash, moved to the quarantine.', spool.torn_tails),
    gauge('faulty', '1 while the disk rejects writes.', spool.fault === null ? 0 : 1),
  ];
}

function forwarderFamilies({ forwarder }: GuardTelemetry): string[] {
  const { state, circuit } = forwarder;
  return [
    single('forwarded_total', 'counter', 'Deliveries that core has accepted.', forwarder.sent),
    single('forward_failures_total', 'counter', 'Batches that core did not accept.', forwarder.failures),
    family('forwarder_state', 'gauge', '1 for the current state of the forwarder.', [
      { labels: { state }, value: 1 },
    ]),
    single('forwarder_circuit_open', 'gauge', '1 while core is only probed.', circuit === 'open' ? 1 : 0),
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
