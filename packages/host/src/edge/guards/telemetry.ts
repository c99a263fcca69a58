import type { ArrivalFigures, ArrivalLimit } from '../../http/arrivals.js';
import type { DriverName } from '../../http/driver.js';
import type { Load } from '../../http/request-gauge.js';
import type { TokenBuckets } from '../../http/token-buckets.js';
import type { ForwarderStats } from '../forwarder.js';
import type { EdgeLimitName } from '../limits.js';
import type { LimitSettings } from '../operator/commands.js';
import type { Spool, SpoolStats } from '../spool/spool.js';
import type { GuardTelemetry, LimitTelemetry } from './guard-telemetry.js';
import { type Gauge, type Guards, HTTP_DOORS, type HttpDoor } from './guards.js';
import { RATE_SCOPES, type RateScope } from './sender-rates.js';

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
    limits: limitRows({ guards, load: load(), arrivals: arrivals(), spool: stats }).map(
      ([name, unit, setting, { allowed, refused, largest, active_keys = null }, door = null]) => {
        const value = guards.limits[setting];
        const configured = settings[setting]?.configured ?? value;
        return { name, door, unit, value, setting, configured, allowed, refused, active_keys, largest };
      },
    ),
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

/** Everything that counts at a limit. */
interface Counting {
  readonly guards: Guards;
  readonly load: Load;
  readonly arrivals: ArrivalFigures;
  readonly spool: SpoolStats;
}

type Row = readonly [
  name: string,
  unit: LimitTelemetry['unit'],
  setting: EdgeLimitName,
  gauge: Gauge & { readonly active_keys?: number },
  door?: HttpDoor,
];

function limitRows({ guards, load, arrivals, spool }: Counting): readonly Row[] {
  const { eventItem, jsonDepth, jsonWidth, replays, requestTime, outcomes } = guards;
  const arriving = (limit: ArrivalLimit) => {
    return { allowed: arrivals.allowed, refused: arrivals.refused[limit], largest: arrivals.largest[limit] };
  };
  const unverified = { ...arriving('none'), largest: arrivals.largestShare };
  const repeated = { allowed: replays.allowed, refused: outcomes.webhook.duplicate ?? 0 };
  const overloaded = HTTP_DOORS.reduce((sum, door) => sum + (outcomes[door].overloaded ?? 0), 0);
  const kept = { allowed: guards.crashes, refused: Math.max(0, overloaded - load.refused) };
  return [
    ...HTTP_DOORS.flatMap((door): Row[] => [
      ['body_sent', 'bytes', `${door}BodyBytes`, guards.bodySent[door], door],
      ['body_decoded', 'bytes', `${door}DecodedBytes`, guards.bodyDecoded[door], door],
    ]),
    ...RATE_SCOPES.flatMap((scope) => rateRows(scope, guards.rates[scope])),
    ...rateRows('address', guards.addressRate),
    // Requests that are still arriving, from senders who are not trusted.
    ['address_requests', 'requests', 'addressRequests', arriving('address')],
    ['unverified_bytes', 'bytes', 'unverifiedBytes', unverified],
    ['all_unverified_bytes', 'bytes', 'allUnverifiedBytes', arriving('none')],
    ['public_key_bytes', 'bytes', 'publicKeyBytes', arriving('public')],
    ['event_item', 'bytes', 'eventItemBytes', eventItem, 'sdk'],
    ['json_depth', 'levels', 'jsonDepth', jsonDepth],
    ['json_width', 'members', 'jsonWidth', jsonWidth],
    ['concurrent_requests', 'requests', 'concurrentRequests', load],
    ['replay_window', 'ms', 'replayMs', { ...repeated, largest: replays.largest }],
    ['request_time', 'ms', 'requestMs', requestTime],
    ['spool_bytes', 'bytes', 'spoolBytes', { ...kept, largest: spool.largest_bytes }],
    ['spool_deliveries', 'deliveries', 'spoolDeliveries', { ...kept, largest: spool.largest_depth }],
  ];
}

/** Rate and burst of the same buckets. */
function rateRows(scope: RateScope | 'address', buckets: TokenBuckets): readonly Row[] {
  const { allowed, refused } = buckets;
  const shared = { allowed, refused, active_keys: buckets.activeKeys() };
  return [
    [`${scope}_rate`, 'per_second', `${scope}Rate`, { ...shared, largest: buckets.largestRate() }],
    [`${scope}_burst`, 'burst', `${scope}Burst`, { ...shared, largest: buckets.largest() }],
  ];
}
