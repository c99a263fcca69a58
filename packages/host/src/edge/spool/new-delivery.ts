import type { JsonObject } from '@culprit/core';
import type { Delivery } from '@culprit/core/internal/domain/delivery';

/** A delivery to append to the spool. Its crash may be given as JSON bytes that are stored as they are. */
export interface NewDelivery extends Omit<Delivery, 'sequence' | 'crash'> {
  readonly crash: JsonObject | Uint8Array;
}
