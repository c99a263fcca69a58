import type { CulpritError } from '@culprit/core';
import type { Door } from '@culprit/core/internal/domain/event';
import type { Outcome } from '@culprit/core/internal/domain/outcome';
import type { Shape } from '@culprit/core/internal/pipeline/crash-object/fit-shape';
import { createTokenBuckets, type TokenBuckets } from '../../http/token-buckets.js';
import type { EdgeLimits } from '../limits.js';
import { createSenderRates, type SenderRates } from './sender-rates.js';

/** The doors served over HTTP. */
export type HttpDoor = Exclude<Door, 'embedded'>;
export const HTTP_DOORS = ['webhook', 'native', 'sdk'] as const satisfies readonly HttpDoor[];

export interface Gauge {
  allowed: number;
  refused: number;
  largest: number;
}

/** The counters of an edge's guards. All are bounded. */
export interface Guards {
  readonly limits: EdgeLimits;
  readonly rates: SenderRates;
  readonly addressRate: TokenBuckets;
  readonly bodySent: Readonly<Record<HttpDoor, Gauge>>;
  readonly bodyDecoded: Readonly<Record<HttpDoor, Gauge>>;
  readonly replays: Replays;
  readonly eventItem: Gauge;
  readonly jsonDepth: Gauge;
  readonly jsonWidth: Gauge;
  readonly requestTime: Gauge;
  /** Outcomes of deliveries, by door and name. */
  readonly outcomes: Readonly<Record<HttpDoor, Partial<Record<Outcome, number>>>>;
  /** Parts of accepted deliveries that are not crashes, by kind. Trackers define few kinds. */
  readonly dropped: Readonly<Record<string, number>>;
  drop(parts: Readonly<Record<string, number>>): void;
  /** Crashes stored; a delivery may hold several. */
  crashes: number;
  count(door: HttpDoor, outcome: Outcome): void;
}

export function createGuards(limits: EdgeLimits): Guards {
  const outcomes: Guards['outcomes'] = { webhook: {}, native: {}, sdk: {} };
  const dropped: Record<string, number> = {};
  return {
    limits,
    rates: createSenderRates(limits),
    addressRate: createTokenBuckets({ rate: () => limits.addressRate, burst: () => limits.addressBurst }),
    bodySent: { webhook: gauge(), native: gauge(), sdk: gauge() },
    bodyDecoded: { webhook: gauge(), native: gauge(), sdk: gauge() },
    replays: createReplays({ windowMs: () => limits.replayMs }),
    eventItem: gauge(),
    jsonDepth: gauge(),
    jsonWidth: gauge(),
    requestTime: gauge(),
    outcomes,
    dropped,
    drop(parts) {
      for (const [kind, count] of Object.entries(parts)) dropped[kind] = (dropped[kind] ?? 0) + count;
    },
    crashes: 0,
    count(door, outcome) {
      outcomes[door][outcome] = (outcomes[door][outcome] ?? 0) + 1;
    },
  };
}

function gauge(): Gauge {
  return { allowed: 0, refused: 0, largest: 0 };
}

export function allow(gauge: Gauge, size: number): void {
  gauge.allowed++;
  gauge.largest = Math.max(gauge.largest, size);
}

/** Depth and width of an accepted crash, and the containers that were cut from it: they count as refused. */
export function allowShape(
  { jsonDepth, jsonWidth }: Guards,
  { shape, cut = NOTHING }: { readonly shape: Shape; readonly cut?: Shape },
): void {
  allow(jsonDepth, shape.depth);
  allow(jsonWidth, shape.width);
  jsonDepth.refused += cut.depth;
  jsonWidth.refused += cut.width;
}

const NOTHING: Shape = { depth: 0, width: 0 };

/** Counts a refusal at the limit that its member `limit` names. */
export function countLimit({ eventItem, jsonDepth, jsonWidth }: Guards, { members }: CulpritError): void {
  const gauges: Readonly<Record<string, Gauge>> = {
    event_item: eventItem,
    json_depth: jsonDepth,
    json_width: jsonWidth,
  };
  const gauge = typeof members.limit === 'string' ? gauges[members.limit] : undefined;
  if (gauge !== undefined) gauge.refused++;
}

export function bodyLimitOf(limits: EdgeLimits, door: HttpDoor): number {
  return { webhook: limits.webhookBodyBytes, native: limits.nativeBodyBytes, sdk: limits.sdkBodyBytes }[door];
}

export function decodedLimitOf(limits: EdgeLimits, door: HttpDoor): number {
  return {
    webhook: limits.webhookDecodedBytes,
    native: limits.nativeDecodedBytes,
    sdk: limits.sdkDecodedBytes,
  }[door];
}

interface Replays {
  /**
   * Stores a delivery, unless one of that name was stored within the window or is being stored now: then it returns the
   * first one's event id. A delivery that could not be stored is forgotten, so that it can be repeated.
   */
  once(
    name: string,
    store: () => Promise<EventId>,
  ): Promise<{ readonly id: EventId; readonly again: boolean }>;
  /** All deliveries stored so far. */
  readonly allowed: number;
  /** The longest time in milliseconds after which a delivery was repeated. */
  readonly largest: number;
}

type EventId = string | null;

interface ReplayOptions {
  readonly windowMs: () => number;
  /** Maximum number of remembered deliveries; the oldest is removed first. */
  readonly most?: number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Detects repeated deliveries within a time window, in bounded memory. */
export function createReplays({
  windowMs,
  most = 10_000,
  now = () => performance.now(),
}: ReplayOptions): Replays {
  const known = new Map<string, { readonly since: number; readonly stored: Promise<EventId> }>();
  let allowed = 0;
  let largest = 0;
  const forget = (at: number) => {
    for (const [name, { since }] of known) {
      if (at - since <= windowMs() && known.size < most) return;
      known.delete(name);
    }
  };
  return {
    async once(name, store) {
      const at = now();
      const first = known.get(name);
      if (first !== undefined && at - first.since <= windowMs()) {
        const id = await first.stored;
        largest = Math.max(largest, Math.ceil(at - first.since));
        return { id, again: true };
      }
      forget(at);
      const stored = store();
      known.delete(name);
      known.set(name, { since: at, stored });
      try {
        const id = await stored;
        allowed++;
        return { id, again: false };
      } catch (error) {
        known.delete(name);
        throw error;
      }
    },
    get allowed() {
      return allowed;
    },
    get largest() {
      return largest;
    },
  };
}
