import type { Delivery, JsonObject } from '@culprit/core';

/** A delivery to append to the spool. Its crash may be given as JSON bytes that are stored as they are. */
export interface NewDelivery extends Omit<Delivery, 'sequence' | 'crash'> {
  readonly crash: JsonObject | Uint8Array;
}
