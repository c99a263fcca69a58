import { CulpritError } from '@culprit/core';
import { trustOf } from '@culprit/core/internal/domain/trust';
import type { NewDelivery } from './new-delivery.js';
import { recordOf } from './record-of.js';
import { createRecordRoom } from './record-room.js';
import type { Writer } from './writer.js';

export interface AppendParts {
  readonly writer: Writer;
  /** `share`: of the spool, that may be used. */
  readonly full: (share: number) => boolean;
  /** After deleting all that may be deleted. */
  readonly staysFull: (share: number) => Promise<boolean>;
  readonly isClosed: () => boolean;
  /** The next sequence number. */
  readonly next: () => number;
}

/** A flood from public keys, which anyone may have, leaves half of the spool to senders with a secret. */
const UNTRUSTED_SHARE = 0.5;

/** The deliveries of one request have the same sender. */
function shareOf([first]: readonly NewDelivery[]): number {
  return first !== undefined && trustOf(first) === 'untrusted' ? UNTRUSTED_SHARE : 1;
}

/** Encodes deliveries, immediately if there is space, and passes them to the writer. */
export function createAppend(parts: AppendParts): (deliveries: readonly NewDelivery[]) => Promise<void> {
  const room = createRecordRoom();
  const write = (deliveries: readonly NewDelivery[]) => {
    try {
      return parts.writer.append(deliveries.map((delivery) => recordOf(room, delivery, parts.next())));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const writeWhenRoom = async (deliveries: readonly NewDelivery[]) => {
    if (parts.isClosed())
      throw new CulpritError('overloaded', 'The edge is shutting down. Send again in a moment.');
    if (await parts.staysFull(shareOf(deliveries)))
      throw new CulpritError('overloaded', 'The spool is full until core accepts deliveries again.');
    await write(deliveries);
  };
  return (deliveries) =>
    parts.isClosed() || parts.full(shareOf(deliveries))
      ? writeWhenRoom(deliveries.map(owned))
      : write(deliveries);
}

/** The bytes of a crash may be reused after the first await. */
function owned(delivery: NewDelivery): NewDelivery {
  const { crash } = delivery;
  return crash instanceof Uint8Array ? { ...delivery, crash: Buffer.from(crash) } : delivery;
}
