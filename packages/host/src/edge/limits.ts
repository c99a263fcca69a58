import { EDGE_LIMIT_SETTINGS, type EdgeLimitName } from '../config/edge-limits.js';
import type { HttpLimits } from '../http/http-limits.js';
import { RATE_SCOPES } from './guards/sender-rates.js';

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
