import { CulpritError, type Engine, type JsonObject } from '@culprit/core';
import type { DoorContext } from '../edge/doors/door.js';
import type { NewDelivery } from '../edge/spool/new-delivery.js';

/** The batch belongs to no edge: 0 moves no watermark, and duplicates are detected by event id alone. */
const NO_SEQUENCE = 0;

/**
 * Takes the place of the edge's spool: deliveries are stored by the engine in one atomic write. Deliveries that the
 * engine cannot read are refused at once, because there are no dead letters.
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
      if (invalid) throw new CulpritError('malformed', invalid.detail ?? 'The crash cannot be read.');
    },
  };
}

function objectOf({ crash }: NewDelivery): JsonObject {
  return crash instanceof Uint8Array ? (JSON.parse(Buffer.from(crash).toString()) as JsonObject) : crash;
}
