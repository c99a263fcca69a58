import type { JsonObject } from '@culprit/core';

/** A crash of `public-crashes.json`. */
export interface PublicCrash {
  readonly from: string;
  readonly language: string;
  readonly error: string;
  readonly frames: readonly (readonly [string, number, string])[];
}

/** Two crashes of which it is known whether they are one incident. */
export function groupingPairs(crashes: readonly PublicCrash[]): readonly {
  /** What differs. */
  readonly kind: string;
  readonly same: boolean;
  readonly pair: readonly [JsonObject, JsonObject];
}[];
