import { SHAPE_LIMITS } from '@culprit/core/internal/pipeline/crash-object/fit-shape';
import type { HttpLimits } from '../http/http-limits.js';
import { RATE_SCOPES } from './guards/sender-rates.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
/** Core accepts batches of 32 MiB. */
const MAX_BODY_BYTES = 24 * MIB;

interface LimitSetting {
  readonly default: number;
  /** Beyond it core would reject what the edge accepted. */
  readonly max: number;
  readonly meaning: string;
}

const bytes = (value: number, meaning: string): LimitSetting => ({
  default: value,
  max: MAX_BODY_BYTES,
  meaning,
});
const count = (value: number, meaning: string, max = Number.MAX_SAFE_INTEGER): LimitSetting => ({
  default: value,
  max,
  meaning,
});

/** Every limit of the edge; `limits` in `culprit.json`. Operators may change them while the edge runs. */
export const EDGE_LIMIT_SETTINGS = {
  webhookBodyBytes: bytes(MIB, 'Bytes of a webhook body as sent.'),
  nativeBodyBytes: bytes(MIB, 'Bytes of a native body as sent.'),
  sdkBodyBytes: count(
    100 * MIB,
    'Bytes of an SDK body as sent. Only the events of an envelope stay in memory; other items are dropped while they arrive.',
    GIB,
  ),
  webhookDecodedBytes: bytes(MIB, 'Bytes of a webhook body after content decoding.'),
  nativeDecodedBytes: bytes(MIB, 'Bytes of a native body after content decoding.'),
  sdkDecodedBytes: count(100 * MIB, 'Bytes of an SDK body after content decoding.', GIB),
  eventItemBytes: bytes(MIB, 'Bytes of one event in an SDK body, after content decoding.'),
  jsonDepth: count(
    SHAPE_LIMITS.depth,
    'Levels of nesting in a crash; deeper ones are cut, and the event says where.',
    SHAPE_LIMITS.depth,
  ),
  jsonWidth: count(
    SHAPE_LIMITS.width,
    'Members or items in one container of a crash; more are cut: the first items of a list, the last members of an object.',
    SHAPE_LIMITS.width,
  ),
  keyRate: count(1_000, 'Events a second for each key; each event of an envelope counts.'),
  keyBurst: count(5_000, 'Events that one key may send at once.'),
  doorRate: count(2_000, 'Events a second for each door of a project.'),
  doorBurst: count(10_000, 'Events that one door of a project may take at once.'),
  projectRate: count(4_000, 'Events a second for each project.'),
  projectBurst: count(20_000, 'Events that one project may send at once.'),
  addressRate: count(200, 'Deliveries a second for each client address; loopback is not limited.'),
  addressBurst: count(1_000, 'Deliveries that one client address may send at once.'),
  concurrentRequests: count(
    512,
    'Requests that are handled at once, and as many that are still arriving from senders without a service token.',
  ),
  reservedRequests: count(64, 'Further requests that are handled at once, for senders with a service token.'),
  addressRequests: count(
    128,
    'Unfinished requests of one client address, apart from those with a service token; beyond it, the oldest is refused.',
  ),
  unverifiedBytes: bytes(
    64 * KIB,
    'Bytes in memory of unfinished bodies of one client address whose credential is not known yet, apart from its one large body.',
  ),
  allUnverifiedBytes: count(16 * MIB, 'The same for all addresses together, including large bodies.'),
  publicKeyBytes: count(
    64 * MIB,
    'Bytes in memory of unfinished bodies whose headers contain a public key; one address may use an eighth.',
  ),
  requestMs: count(10_000, 'Milliseconds within which a whole request must arrive.'),
  replayMs: count(
    600_000,
    'Milliseconds for which a webhook’s delivery id, or its body if it has no event_id, is remembered; a repetition is acknowledged and not stored.',
  ),
  spoolBytes: count(GIB, 'Bytes of the spool on disk.'),
  spoolDeliveries: count(2_000_000, 'Deliveries in the spool.'),
} as const satisfies Readonly<Record<string, LimitSetting>>;

export type EdgeLimitName = keyof typeof EDGE_LIMIT_SETTINGS;

/** Every limit of the edge, read for each request: an operator may change them while it runs. */
export type EdgeLimits = Record<EdgeLimitName, number>;

export const EDGE_LIMITS = Object.fromEntries(
  Object.entries(EDGE_LIMIT_SETTINGS).map(([name, { default: value }]) => [name, value]),
) as Readonly<EdgeLimits>;

/** For programs that send as fast as they can. */
export const NO_RATE_LIMITS: Readonly<Partial<EdgeLimits>> = Object.fromEntries(
  RATE_SCOPES.flatMap((scope) => [
    [`${scope}Rate`, 1e9],
    [`${scope}Burst`, 1e9],
  ]),
);

/** What a limit may be raised to. */
export const highest = (name: string): number =>
  EDGE_LIMIT_SETTINGS[name as EdgeLimitName]?.max ?? Number.MAX_SAFE_INTEGER;

/** The limits that the HTTP server enforces, as they are at each request. */
export function edgeHttpLimits(limits: EdgeLimits): Omit<HttpLimits, 'closeMs'> {
  return {
    get requestMs() {
      return limits.requestMs;
    },
    get concurrent() {
      return limits.concurrentRequests;
    },
    get reserved() {
      return limits.reservedRequests;
    },
    get addressRequests() {
      return limits.addressRequests;
    },
    get unverifiedBytes() {
      return limits.unverifiedBytes;
    },
    get allUnverifiedBytes() {
      return limits.allUnverifiedBytes;
    },
    get publicKeyBytes() {
      return limits.publicKeyBytes;
    },
  };
}
