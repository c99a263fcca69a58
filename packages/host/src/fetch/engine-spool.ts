import { type CrashObject, CulpritError, type Engine } from '@culprit/core';
import type { DoorContext } from '../edge/doors/door.js';
import type { NewDelivery } from '../edge/spool/new-delivery.js';

/** A batch that belongs to no edge: 0 moves no watermark, the event id alone tells a duplicate. */
const NO_SEQUENCE = 0;

/**
 * Stands where the edge has its spool: deliveries go straight into the engine's storage, in one atomic write. What the
 * engine cannot read is refused at once, since there is no list of dead letters to put it on.
 */
export function engineSpool(engine: Engine): DoorContext['spool'] {
  return {
    async append(deliveries) {
      const { outcomes } = await engine.ingestBatch({
        edge: 'fetch',
        deliveries: deliveries.map((delivery) => ({
          ...delivery,
          crash: objectOf(delivery),
          sequence: NO_SEQUENCE,
        })),
      });
      const invalid = outcomes.find(({ outcome }) => outcome === 'invalid');
      if (invalid) throw new CulpritError('malformed', invalid.detail ?? 'The crash is not readable.');
    },
  };
}

function objectOf({ crash }: NewDelivery): CrashObject {
  return crash instanceof Uint8Array ? (JSON.parse(Buffer.from(crash).toString()) as CrashObject) : crash;
}
