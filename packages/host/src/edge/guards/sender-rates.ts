import { CulpritError } from '@culprit/core';
import type { Door } from '@culprit/core/internal/domain/event';
import { createTokenBuckets, type TokenBuckets } from '../../http/token-buckets.js';
import type { EdgeLimits } from '../limits.js';

/** Whose rates a delivery uses. */
export interface RateSubject {
  readonly project: string;
  readonly door: Door;
  /** Names the credential. */
  readonly key: string;
}

/** What has a rate of its own, narrowest first. */
export const RATE_SCOPES = ['key', 'door', 'project'] as const;
export type RateScope = (typeof RATE_SCOPES)[number];

/** Events a second, for each key, each door of a project, and each project. */
export type SenderRates = Readonly<Record<RateScope, TokenBuckets>>;

export function createSenderRates(limits: EdgeLimits): SenderRates {
  const buckets = (scope: RateScope) =>
    createTokenBuckets({ rate: () => limits[`${scope}Rate`], burst: () => limits[`${scope}Burst`] });
  return { key: buckets('key'), door: buckets('door'), project: buckets('project') };
}

/** Counts events of one sender. Throws `rate_limited` beyond a rate: then none of them may be stored. */
export function takeEvents(rates: SenderRates, { project, door, key }: RateSubject, events: number): void {
  const names = { key, door: `${project}/${door}`, project };
  for (const scope of RATE_SCOPES) {
    const wait = rates[scope].take(names[scope], events);
    if (wait === 0) continue;
    throw new CulpritError('rate_limited', `Rate limit of this ${scope} exceeded. Send more slowly.`, {
      retryAfterMs: wait,
    });
  }
}
