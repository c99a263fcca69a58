import type { EdgeLimitName } from '../../config/edge-limits.js';
import type { ArrivalFigures, ArrivalLimit } from '../../http/arrivals.js';
import type { DriverName } from '../../http/driver.js';
import type { Load } from '../../http/request-gauge.js';
import type { TokenBuckets } from '../../http/token-buckets.js';
import type { ForwarderStats } from '../forwarder.js';
import type { LimitSettings } from '../operator/commands.js';
import type { Spool, SpoolStats } from '../spool/spool.js';
import type { GuardTelemetry, LimitTelemetry } from './guard-telemetry.js';
import { bodyLimitOf, decodedLimitOf, type Gauge, type Guards, HTTP_DOORS } from './guards.js';
import { RATE_SCOPES } from './sender-rates.js';

export interface TelemetryParts {
  readonly guards: Guards;
  readonly settings: LimitSettings;
  readonly spool: Spool;
  readonly forwarder: () => ForwarderStats;
  readonly http: () => DriverName | null;
  readonly load: () => Load;
  readonly arrivals: () => ArrivalFigures;
  readonly startedAt: number;
}

export function guardTelemetry({
  guards,
  settings,
  spool,
  forwarder,
  http,
  load,
  arrivals,
  startedAt,
}: TelemetryParts): GuardTelemetry {
  const now = Date.now();
  const figures = forwarder();
  const stats = spool.stats();
  return {
    edge: spool.identity(),
    at: new Date(now).toISOString(),
    started_at: new Date(startedAt).toISOString(),
    http_driver: http(),
    limits: [
      ...bodies(guards),
      ...rates(guards),
      ...arriving(guards, arrivals()),
      ...whole(guards, load(), stats),
    ].map((limit) => ({
      ...limit,
      configured: limit.setting === null ? limit.value : (settings[limit.setting]?.configured ?? limit.value),
    })),
    spool: {
      ...stats,
      oldest_age_ms:
        stats.depth === 0 || figures.oldest_at === null
          ? null
          : Math.max(0, now - Date.parse(figures.oldest_at)),
    },
    forwarder: figures,
    dead_letters: spool.deadLetters.count(),
    crashes: guards.crashes,
    outcomes: guards.outcomes,
    dropped: { ...guards.dropped },
  };
}

type Row = Pick<LimitTelemetry, 'name' | 'unit' | 'value'> & Partial<LimitTelemetry>;

function row(limit: Row, { allowed, refused, largest }: Gauge): LimitTelemetry {
  return {
    door: null,
    setting: null,
    configured: limit.value,
    active_keys: null,
    allowed,
    refused,
    largest,
    ...limit,
  };
}

function bodies({ limits, bodySent, bodyDecoded }: Guards): LimitTelemetry[] {
  return HTTP_DOORS.flatMap((door) => [
    row(
      {
        name: 'body_sent',
        door,
        unit: 'bytes',
        value: bodyLimitOf(limits, door),
        setting: `${door}BodyBytes`,
      },
      bodySent[door],
    ),
    row(
      {
        name: 'body_decoded',
        door,
        unit: 'bytes',
        value: decodedLimitOf(limits, door),
        setting: `${door}DecodedBytes`,
      },
      bodyDecoded[door],
    ),
  ]);
}

function rates({ limits, rates: senders, addressRate }: Guards): LimitTelemetry[] {
  return [
    ...RATE_SCOPES.flatMap((scope) =>
      ratesOf(senders[scope], {
        rate: { name: `${scope}_rate`, value: limits[`${scope}Rate`], setting: `${scope}Rate` },
        burst: { name: `${scope}_burst`, value: limits[`${scope}Burst`], setting: `${scope}Burst` },
      }),
    ),
    ...ratesOf(addressRate, {
      rate: { name: 'address_rate', value: limits.addressRate, setting: 'addressRate' },
      burst: { name: 'address_burst', value: limits.addressBurst, setting: 'addressBurst' },
    }),
  ];
}

/** Requests that are still arriving, from senders who are not trusted. */
function arriving({ limits }: Guards, { allowed, refused, largest, largestShare }: ArrivalFigures) {
  const of = (limit: ArrivalLimit) => ({ allowed, refused: refused[limit], largest: largest[limit] });
  const bound = (name: string, unit: 'bytes' | 'requests', setting: EdgeLimitName, gauge: Gauge) =>
    row({ name, unit, value: limits[setting], setting }, gauge);
  return [
    bound('address_requests', 'requests', 'addressRequests', of('address')),
    bound('unverified_bytes', 'bytes', 'unverifiedBytes', { ...of('none'), largest: largestShare }),
    bound('all_unverified_bytes', 'bytes', 'allUnverifiedBytes', of('none')),
    bound('public_key_bytes', 'bytes', 'publicKeyBytes', of('public')),
  ];
}

type Bound = Pick<LimitTelemetry, 'name' | 'value' | 'setting'>;

/** Rate and burst of the same buckets. */
function ratesOf(
  buckets: TokenBuckets,
  { rate, burst }: { readonly rate: Bound; readonly burst: Bound },
): LimitTelemetry[] {
  const { allowed, refused } = buckets;
  const active_keys = buckets.activeKeys();
  return [
    row({ ...rate, unit: 'per_second', active_keys }, { allowed, refused, largest: buckets.largestRate() }),
    row({ ...burst, unit: 'burst', active_keys }, { allowed, refused, largest: buckets.largest() }),
  ];
}

function whole(
  { limits, eventItem, jsonDepth, jsonWidth, replays, requestTime, outcomes, crashes }: Guards,
  load: Load,
  spool: SpoolStats,
): LimitTelemetry[] {
  const overloaded =
    HTTP_DOORS.reduce((sum, door) => sum + (outcomes[door].overloaded ?? 0), 0) - load.refused;
  const kept = { allowed: crashes, refused: Math.max(0, overloaded) };
  return [
    row(
      {
        name: 'event_item',
        door: 'sdk',
        unit: 'bytes',
        value: limits.eventItemBytes,
        setting: 'eventItemBytes',
      },
      eventItem,
    ),
    row({ name: 'json_depth', unit: 'levels', value: limits.jsonDepth, setting: 'jsonDepth' }, jsonDepth),
    row({ name: 'json_width', unit: 'members', value: limits.jsonWidth, setting: 'jsonWidth' }, jsonWidth),
    row(
      {
        name: 'concurrent_requests',
        unit: 'requests',
        value: limits.concurrentRequests,
        setting: 'concurrentRequests',
      },
      load,
    ),
    row(
      { name: 'replay_window', unit: 'ms', value: limits.replayMs, setting: 'replayMs' },
      { allowed: replays.allowed, refused: outcomes.webhook.duplicate ?? 0, largest: replays.largest },
    ),
    row({ name: 'request_time', unit: 'ms', value: limits.requestMs, setting: 'requestMs' }, requestTime),
    row(
      { name: 'spool_bytes', unit: 'bytes', value: limits.spoolBytes, setting: 'spoolBytes' },
      { ...kept, largest: spool.largest_bytes },
    ),
    row(
      {
        name: 'spool_deliveries',
        unit: 'deliveries',
        value: limits.spoolDeliveries,
        setting: 'spoolDeliveries',
      },
      { ...kept, largest: spool.largest_depth },
    ),
  ];
}
