import { CulpritError } from '@culprit/core';
import type { NewDelivery } from './new-delivery.js';
import { recordOf } from './record-of.js';
import { createRecordRoom } from './record-room.js';
import type { Writer } from './writer.js';

export interface AppendParts {
  readonly writer: Writer;
  readonly full: () => boolean;
  /** After deleting all that may be deleted. */
  readonly staysFull: () => Promise<boolean>;
  readonly isClosed: () => boolean;
  /** The next sequence number. */
  readonly next: () => number;
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
    if (await parts.staysFull())
      throw new CulpritError('overloaded', 'The spool is full until core accepts deliveries again.');
    await write(deliveries);
  };
  return (deliveries) =>
    parts.isClosed() || parts.full() ? writeWhenRoom(deliveries.map(owned)) : write(deliveries);
}

/** The bytes of a crash may be reused after the first await. */
function owned(delivery: NewDelivery): NewDelivery {
  const { crash } = delivery;
  return crash instanceof Uint8Array ? { ...delivery, crash: Buffer.from(crash) } : delivery;
}
