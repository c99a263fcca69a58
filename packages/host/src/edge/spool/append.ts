import { CulpritError } from '@culprit/core';
import type { NewDelivery } from './new-delivery.js';
import { recordOf } from './record-of.js';
import { createRecordRoom } from './record-room.js';
import type { Writer } from './writer.js';

export interface AppendParts {
  readonly writer: Writer;
  readonly full: () => boolean;
  /** Also after everything was deleted that may be. */
  readonly staysFull: () => Promise<boolean>;
  readonly isClosed: () => boolean;
  /** The next sequence number. */
  readonly next: () => number;
}

/** Makes records of deliveries, at once where there is room, and hands them to the writer. */
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
      throw new CulpritError('overloaded', 'The edge is closing; send again in a moment.');
    if (await parts.staysFull())
      throw new CulpritError('overloaded', 'The spool is full; core must come back first.');
    await write(deliveries);
  };
  return (deliveries) =>
    parts.isClosed() || parts.full() ? writeWhenRoom(deliveries.map(owned)) : write(deliveries);
}

/** The bytes of a crash may lie in another's memory as soon as anything is waited for. */
function owned(delivery: NewDelivery): NewDelivery {
  const { crash } = delivery;
  return crash instanceof Uint8Array ? { ...delivery, crash: Buffer.from(crash) } : delivery;
}
