import type { JsonObject } from '@culprit/core';

/** How a hostile crash is made; JSON, so that a found one can be written down. */
export interface WorstBody {
  readonly place: string;
  readonly genes: readonly {
    readonly parts: readonly { readonly piece: string; readonly times: number }[];
    readonly varied: boolean;
  }[];
  readonly end: string;
}

/** The places of a crash, by the stage that reads them most. */
export const PLACES: { readonly sanitise: readonly string[]; readonly read: readonly string[] };

/** A crash of about `size` characters. */
export function crashOf(body: WorstBody, size: number): JsonObject;

/** The costliest bodies that `rounds` generations found, the costliest first. The same seed finds the same. */
export function searchWorst(options: {
  readonly seed: number;
  readonly rounds: number;
  readonly size: number;
  readonly costOf: (crash: JsonObject) => number;
  /** Of {@link PLACES}. */
  readonly places?: readonly string[];
  readonly population?: number;
  readonly kept?: number;
}): { readonly body: WorstBody; readonly cost: number }[];
