import type { CulpritError } from '@culprit/core';
import type { Door } from '@culprit/core/internal/domain/event';
import type { Outcome } from '@culprit/core/internal/domain/outcome';
import type { Shape } from '@culprit/core/internal/pipeline/crash-object/fit-shape';
import { createTokenBuckets, type TokenBuckets } from '../../http/token-buckets.js';
import type { EdgeLimits } from '../limits.js';
import { createReplays, type Replays } from './replays.js';
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
