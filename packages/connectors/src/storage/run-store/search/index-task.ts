import type { Logger } from '@culprit/core/connector';
import type { RetentionParts } from '../retention.js';
import { createStoppable } from '../stoppable.js';
import { indexRuns } from './index-runs.js';
import { sealBlocks } from './seal-blocks.js';

export interface IndexingOptions extends Pick<RetentionParts, 'reads' | 'writer'> {
  readonly logger: Logger;
}

/** Time between looks for full blocks, between attempts, and between steps of indexing older runs. */
const LOOK_MS = 5_000;
const PAUSE_MS = 50;

/** Indexes runs that are not in the index, then seals blocks in the background until it is stopped. */
export function startIndexing({ reads, writer, logger }: IndexingOptions): () => Promise<void> {
  const { signal, pause, stepPause, stop } = createStoppable(PAUSE_MS);
  let indexed = false;
  const work = async (): Promise<void> => {
    if (!indexed) {
      const runs = await indexRuns({ reads, writer, pause: stepPause });
      if (runs > 0) logger.info({ runs }, 'indexed the stored runs for searches');
      indexed = true;
    }
    await sealBlocks(writer);
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await work().catch((error) => {
        if (!signal.aborted) logger.warn({ err: error }, 'indexing runs failed; retrying');
      });
      await pause(LOOK_MS);
    }
  };
  const done = loop();
  return async () => {
    stop();
    await done;
  };
}
